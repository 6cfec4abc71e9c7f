// Greedy search over networks by adding, removing and reversing single arcs, with or without a tabu
// list.
//
// A parent set that is not listed was pruned, because a subset of it scores at least as high. It is
// replaced by its best listed subset. Therefore the parents of a variable are always a listed set,
// an arc is added only if that gains, and one scan of a list finds the deltas of all arcs into a
// variable. In addition to the lists, this takes 12 bytes and one bit per pair of variables. After a
// move, only the one or two variables whose parents changed are scanned again.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "common/index.h"
#include "common/random.h"
#include "search/ordersets.h"
#include "search/tabulist.h"

namespace forebear {

class DagClimber {
public:
    /// Starts without arcs, except for required ones. A climb ends when no move improves and the
    /// last `patience` moves gave no new best.
    DagClimber(std::shared_ptr<const OrderSets> sets, int tabu_length, int patience);

    /// Starts a climb from the network of these sets. Throws std::invalid_argument if it has a
    /// cycle.
    void start(std::span<const int32_t> ranks);
    /// Starts a climb from the current network after `moves` random moves.
    void perturb(Random& random, int moves);
    /// Makes at most `steps` moves. Returns whether the climb has ended.
    bool climb(int steps);

    const OrderSets& sets() const { return *sets_; }
    /// The best network of this climb.
    std::span<const int32_t> best_ranks() const { return best_rank_; }
    int64_t best_score() const { return best_score_; }

private:
    enum Kind { kAdd, kRemove, kReverse, kNone };
    struct Move {
        Kind kind = kNone;
        int parent = -1, child = -1;
        int64_t delta = INT64_MIN;
    };

    size_t at(int u, int w) const { return index(u) * index(n_) + index(w); }
    size_t slot(int u, int k) const { return index(u) * index(slots_) + index(k); }
    bool descends(int w, int from) const {
        return descendants_[index(from) * words_ + index(w) / 64] >> (w % 64) & 1;
    }
    std::span<const int32_t> parents(int u) const {
        return std::span(parents_).subspan(slot(u, 0), index(size_[index(u)]));
    }

    void clear();
    void set_rank(int u, int rank);
    int best_within(int u, std::span<const int32_t> members);
    void find_gains(int u);
    void find_losses(int u);
    bool find_descendants();
    void begin();
    bool can_reverse(int parent, int child) const;
    bool is_required(int parent, int child) const;
    Move best_move() const;
    void make(const Move& move);

    void random_move(Random& random);
    void force(int parent, int child);
    bool random_arc(Random& random, int& parent, int& child) const;

    std::shared_ptr<const OrderSets> sets_;
    int n_, slots_, patience_;
    size_t words_;  // of a row of descendants
    std::vector<std::vector<int32_t>>
        required_;  // of u: the members of all its sets, if its empty set is not allowed
    std::vector<int32_t> rank_, best_rank_;
    int64_t score_ = 0, best_score_ = 0;
    int idle_ = 0;
    std::vector<int32_t> parents_, size_;  // [u][slot], -1 in unused slots; their number
    std::vector<int32_t> gain_,
        gain_rank_;  // [u][w]: the gain of u by the parent w, and the set
    std::vector<std::vector<int32_t>> gainers_;  // of u: the parents w with a gain, the best first
    std::vector<int32_t> loss_,
        loss_rank_;  // [u][slot]: the change of u without that parent, zero or less, and the set
    std::vector<uint64_t> descendants_;
    std::vector<int32_t> order_;  // parents first
    TabuList tabu_;
    std::vector<uint8_t> flags_;
};

}  // namespace forebear
