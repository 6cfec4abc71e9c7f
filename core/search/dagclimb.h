// Greedy search over networks by single arcs: add, remove, reverse; with a tabu
// list if asked.
//
// A parent set that is not among the candidates was pruned, because one of its
// subsets scores at least as high: it is taken to be its best candidate subset.
// So the parents of a variable always are one of its candidates, an arc that is
// added gains or is no move, and one scan of the candidates finds what each
// arc into a variable is worth. That needs no look-up table of sets: beside the
// candidates there are 12 bytes a pair of variables and one bit for who descends
// from whom. After a move only the rows of the one or two variables whose
// parents it changed are scanned again.
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
    /// Begins without arcs, but for those that are required. A climb ends after `patience`
    /// moves without a new best, once no move improves.
    DagClimber(std::shared_ptr<const OrderSets> sets, int tabu_length, int patience);

    /// Begins a climb from the network of these sets; refuses one with a cycle.
    void start(std::span<const int32_t> ranks);
    /// Begins a climb from here, so many random moves away.
    void perturb(Random& random, int moves);
    /// Makes up to so many moves. Returns whether the climb has ended.
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

    void find_required(int u);
    void clear();
    void set_rank(int u, int rank);
    int best_within(int u, std::span<const int32_t> members);
    void find_gains(int u);
    void find_losses(int u);
    bool find_descendants();
    void begin();
    bool may_turn(int parent, int child) const;
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
        required_;  // of u: what all its sets hold, if it may not do without
    std::vector<int32_t> rank_, best_rank_;
    int64_t score_ = 0, best_score_ = 0;
    int idle_ = 0;
    std::vector<int32_t> parents_, size_;  // [u][slot], -1 in those left over; how many
    std::vector<int32_t> gain_,
        gain_rank_;  // [u][w]: what u gains by the parent w, and by which set
    std::vector<std::vector<int32_t>> gainers_;  // of u: the w it gains by, the best first
    std::vector<int32_t> loss_,
        loss_rank_;  // [u][slot]: what u loses without that parent (zero or less)
    std::vector<uint64_t> descendants_;
    std::vector<int32_t> order_;  // parents first
    TabuList tabu_;
    std::vector<uint8_t> flags_;
};

}  // namespace forebear
