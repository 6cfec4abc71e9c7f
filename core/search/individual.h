// The members of a population, and the climbs that make them.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "common/budget.h"
#include "common/random.h"
#include "search/climber.h"

namespace forebear {

/// An order and the best set of each variable in it. The score is in ticks below the sum of the
/// best sets: an integer, so that equal networks compare equal.
struct Individual : std::enable_shared_from_this<Individual> {
    Individual(int64_t score, std::vector<int32_t> order, std::vector<int32_t> ranks)
        : score(score), order(std::move(order)), ranks(std::move(ranks)) {}
    int64_t score;
    std::vector<int32_t> order, ranks;
};

using IndividualPtr = std::shared_ptr<Individual>;

/// How a child is created and climbed.
struct ChildPolicy {
    int window;      ///< the largest number of places by which the first climb moves a variable
    int64_t margin;  ///< ticks; a child that is this much worse than its parent is abandoned
    int swaps;       ///< the number of random swaps in a mutation
};

/// Climbs from an order to a local optimum, or until the budget is spent.
Individual climb_order(Climber& climber, std::span<const int32_t> order, Random& random,
                       const Budget& budget);

/// Creates a child by crossover of two members, or by mutation of the parent (`other` null). The
/// child is climbed as long as it may beat its parent:
/// 1. the variables that differ from the parent, within the window;
/// 2. if the score is within the margin: the variables affected by step 1, to any place;
/// 3. if the child is better than the parent by then: all variables.
Individual climb_child(Climber& climber, const ChildPolicy& policy, const Individual& parent,
                       const Individual* other, Random& random, const Budget& budget);

/// Gives a member the best sets of a collection that has changed, and climbs the variables whose
/// sets differ from `ranks`, within the window.
Individual adapt(Climber& climber, std::span<const int32_t> order, std::span<const int32_t> ranks,
                 int window, Random& random, const Budget& budget);

}  // namespace forebear
