// A Markov chain in the space of networks. Every move leaves the posterior unchanged.
//
// A network is one set per variable. Moves draw sets of a variable from all that close no cycle,
// with probabilities proportional to their weights: the ranked list is scanned from its top until
// the remaining weight is negligible. A move redraws the set of one variable (Gibbs), or reverses an arc and
// redraws the sets of both its ends (Grzegorczyk and Husmeier, 2008).
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "common/random.h"
#include "posterior/weightedsets.h"

namespace forebear {

struct MoveCounts {
    int64_t tried = 0, accepted = 0;
};

/// Statements about paths and arcs, as pairs of variables. Sets alone do not enforce them.
struct Relations {
    using Pairs = std::vector<std::pair<int32_t, int32_t>>;
    Pairs before;         ///< some order of the network has the first before the second, for all
    Pairs ancestors;      ///< a path leads from the first to the second
    Pairs not_ancestors;  ///< no path does
    Pairs adjacent;       ///< an arc joins the two
    bool any() const {
        return !before.empty() || !ancestors.empty() || !not_ancestors.empty() || !adjacent.empty();
    }
};

class Chain {
public:
    /// `ranks` is a network: one rank per variable, without a cycle. `tail` bounds the share of
    /// the weight that a scan may leave out. The network respects the relations, as all later ones
    /// do: moves that end elsewhere are rejected.
    Chain(const WeightedSets& sets, const Weights& weights, const Relations& relations,
          std::span<const int32_t> ranks, double tail, Random random);

    /// As many moves as there are variables.
    void sweep();

    const std::vector<int32_t>& ranks() const { return ranks_; }
    /// The sum of the scores, without the temperature.
    double score() const;
    double beta() const { return weights_->beta; }
    void swap_temperature(Chain& other) { std::swap(weights_, other.weights_); }
    const MoveCounts& redraws() const { return redraws_; }
    const MoveCounts& reversals() const { return reversals_; }
    /// The largest share of the weight that a scan has left out, at most.
    double left_out() const { return left_out_; }

private:
    static constexpr int kNoSet = -1;  // the rank of temporary parents, which are not in the list

    /// Makes a move, and undoes it if the network then violates a relation.
    template <class Move>
    bool make(const Move& move);
    bool redraw(int v);
    bool reverse();
    bool respects();
    /// Picks an arc uniformly at random; returns false if there is none.
    bool pick_arc(int& parent, int& child);
    void set_rank(int v, int rank);
    void set_members(int v, std::span<const int32_t> members, int rank);
    void orphan(int v) { set_members(v, {}, kNoSet); }
    /// Bars v and its descendants from being parents, until free().
    void bar(int v);
    void free();
    /// Whether a path leads from one variable to another; with `in_order`, also over `later_`.
    bool leads(int from, int to, bool in_order);
    /// Sums the weights of the sets of v that hold `must` (if not -1) and nothing barred. Returns
    /// the logarithm.
    double sum(int v, int must);
    /// bar(), sum() and free().
    double sum_of(int v, int must);
    /// A set of the last sum(), drawn by weight.
    int draw();
    bool accept(double log_ratio);

    const WeightedSets& sets_;
    const Weights* weights_;
    const Relations& relations_;
    double tail_;
    Random random_;
    std::vector<int32_t> ranks_;
    std::vector<std::vector<int32_t>> parents_, children_;
    std::vector<std::vector<int32_t>> later_;  // the variables that must come after each
    std::vector<int32_t> kept_;                // the ranks before a move
    int arcs_ = 0;
    std::vector<uint8_t> flags_;
    std::vector<int32_t> barred_;
    std::vector<int32_t> scanned_;     // ranks of the last sum
    std::vector<double> cumulative_;   // and their weights, added up
    double left_out_ = 0.0;
    MoveCounts redraws_, reversals_;
};

}  // namespace forebear
