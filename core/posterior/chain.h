// A Markov chain in the space of networks. Every move leaves the posterior unchanged.
//
// A network is one set per variable. Moves draw sets of a variable from all that close no cycle,
// with probabilities proportional to their weights: the ranked list is scanned from its top until
// what is left cannot matter.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "common/random.h"
#include "posterior/weightedsets.h"

namespace forebear {

enum class Move : int {
    redraw,   ///< Gibbs: new parents of one variable
    reverse,  ///< an arc is reversed, and both of its ends get new parents (Grzegorczyk, Husmeier 2008)
    blanket,  ///< a variable and its children get new parents (Su and Borsuk 2016)
    exchange, ///< the two ends of an arc change places in the whole network
    count
};

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
    const std::array<MoveCounts, static_cast<int>(Move::count)>& moves() const { return moves_; }
    /// The largest share of the weight that a scan has left out, at most.
    double left_out() const { return left_out_; }
    /// Whether the network respects all relations.
    bool respects();

private:
    static constexpr int kNoSet = -1;  // a set of the moment, not of the list

    bool make(Move move);
    bool redraw(int v);
    bool reverse();
    bool blanket();
    bool exchange();
    /// An arc, each with the same probability; false if there is none.
    bool pick_arc(int& parent, int& child);
    void set_rank(int v, int rank);
    void set_members(int v, std::span<const int32_t> members, int rank);
    void orphan(int v) { set_members(v, {}, kNoSet); }
    /// Bars v and its descendants from being parents, until free().
    void bar(int v);
    void free();
    /// Whether a path leads from one variable to another; over `later_`, too, if wanted.
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
    std::vector<std::vector<int32_t>> later_;  // what the statements `before` put after a variable
    std::vector<int32_t> kept_;                // the ranks before a move
    int arcs_ = 0;
    std::vector<uint8_t> flags_;
    std::vector<int32_t> barred_;
    std::vector<int32_t> scanned_;     // ranks of the last sum
    std::vector<double> cumulative_;   // and their weights, added up
    double left_out_ = 0.0;
    std::array<MoveCounts, static_cast<int>(Move::count)> moves_{};
};

}  // namespace forebear
