// Members of a population, and what the threads of a search do: climb from an order, make a child and
// climb it, or climb a member again whose parent sets have changed.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "common/budget.h"
#include "common/random.h"
#include "search/climber.h"
#include "search/ordersets.h"

namespace forebear {

/// An order and the sets that it gives its variables. The score is in ticks below the sum of the
/// best sets: an integer, so that equal networks compare equal.
struct Individual : std::enable_shared_from_this<Individual> {
    Individual(int64_t score, std::vector<int32_t> order, std::vector<int32_t> ranks)
        : score(score), order(std::move(order)), ranks(std::move(ranks)) {}
    int64_t score;
    std::vector<int32_t> order, ranks;
};

using IndividualPtr = std::shared_ptr<Individual>;

/// Combines two networks: the variables of a random connected region prefer their sets in y, the
/// others those in x, as far as no cycle arises. So good substructures are inherited whole. Returns a
/// topological order of the network.
std::vector<int32_t> cross_networks(const OrderSets& sets, const Individual& x, const Individual& y,
                                    Random& random);

/// How a child is made and climbed.
struct ChildPolicy {
    int window;      ///< how many places the first climb may move a variable
    int64_t margin;  ///< ticks: a child that is so much worse than its parent is given up
    int swaps;       ///< random swaps of a mutation
};

/// Climbs from an order to a local optimum, or as far as the budget lasts.
Individual climb_order(Climber& climber, std::span<const int32_t> order, Random& random,
                       const Budget& budget);

/// Makes a child of two members, of an order if there is one (`order` not empty), or by mutation of
/// the parent (`other` null). It is climbed as far as it promises to beat its parent:
/// 1. the variables that differ from the parent, within the window;
/// 2. if the score is within the margin: those that this touched, anywhere;
/// 3. if the child is better than the parent by then: all variables.
Individual raise_child(Climber& climber, const ChildPolicy& policy, const Individual& parent,
                       const Individual* other, std::span<const int32_t> order, Random& random,
                       const Budget& budget);

/// Gives a member its best sets of a collection that has changed, and climbs the variables whose
/// sets differ from `ranks`, within the window.
Individual adapt(Climber& climber, std::span<const int32_t> order, std::span<const int32_t> ranks,
                 int window, Random& random, const Budget& budget);

}  // namespace forebear
