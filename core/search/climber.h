// Hill climbing over orders by insertion (INOBS), with cached deltas.
//
// Moving one variable v changes another one's choice only through whether v
// precedes it. So for the order at hand the climber keeps, of every pair (v, u),
// what u's score changes by if the relation of v and u flips: a gain where u
// could take a better set that lacks just v, a loss where v is a parent of u.
// The value of inserting v elsewhere is then v's own change plus a sum of these
// over the variables it passes.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "common/budget.h"
#include "common/random.h"
#include "search/ordersets.h"
#include "search/prefixmemo.h"

namespace forebear {

class Climber {
public:
    explicit Climber(std::shared_ptr<const OrderSets> sets);

    /// Starts from an order, nothing cached.
    void start(std::span<const int32_t> order);
    /// Moves v to the best other place within `window`, if that is an improvement.
    bool improve(int v, int window);

    /// Improves variables in random order until none can be, or the budget is spent.
    void climb(Random& random, const Budget& budget);
    /// Likewise, but looks only at variables marked, and those that a move touches.
    void climb_marked(Random& random, int window, const Budget& budget);
    /// Marks only the variables whose sets differ from the given ones, and the members of both
    /// sets.
    void mark_changes(std::span<const int32_t> ranks);
    /// Marks again what was marked or touched since `mark_changes`.
    void mark_touched();

    const OrderSets& sets() const { return *sets_; }
    std::span<const int32_t> order() const { return order_; }
    std::span<const int32_t> ranks() const { return rank_; }
    /// Ticks below the sum of the best sets.
    int64_t score() const { return score_; }

private:
    struct Step {  // v may take the set `rank` once it stands at `place` or later
        int place;
        int32_t ticks;
        int rank;
    };

    struct Crossing {  // someone whose choice changes if v passes
        int place;
        int64_t change;  // of all passed up to here
    };
    struct Reach {  // the first places that may be worth a move: in the head, past it; and the gain
                    // there
        int head, left;
        int64_t gain;
    };

    void flag_missing(int u, uint8_t flag);
    void set_rank(int u, int rank);
    void refresh(int u);
    void clear_gains(int u);
    void find_gains(int u, int from, int end, int wanted, int must);
    void find_losses(int u, unsigned which, int from);
    void note_gain(int u, int w, int rank);
    void note_loss(int u, int slot, int parent, int rank);
    void bound_losses(int u);
    void left_behind(int u, int v);
    void joined(int u, int v);
    void find_steps(int v, int first_place, int last_place, int from, int32_t lowest);
    int best_in_head(int v, int place, uint64_t key, int from);
    void find_head_keys(int v);
    void find_crossings(int v, int first_place, int last_place);
    const int32_t* open_first_row(int v);
    void close_first_row(int v);
    Reach furthest_left(int v) const;
    int furthest_right(int v, int right_most, int32_t current) const;
    void move(int v, int place, int rank);
    void shift(int v, int place);
    void mark(int v);
    void unmark_all();

    std::shared_ptr<const OrderSets> sets_;
    int n_, slots_;
    std::vector<int32_t> order_, place_, rank_;
    int64_t score_ = 0;
    Pairs delta_;      // [v][u]
    Pairs gain_rank_;  // [u][w]: the set behind a gain, kNoRank if there is none
    std::vector<std::vector<int32_t>> gains_;  // of u: the w with a gain
    std::vector<int32_t> loss_rank_;           // [u][slot]: what u falls to without that parent
    std::vector<int32_t> deepest_;  // of u: the last rank that anything kept for u depends on
    std::vector<uint8_t> flags_;
    std::vector<Step> steps_;
    std::vector<int32_t> lapsed_;  // scratch: variables whose gain is gone

    std::vector<int32_t>
        first_row_;  // scratch: where sets with some v begin, if that is no row of a square
    std::vector<int32_t> affected_;  // scratch: variables that some v's moves affect
    std::vector<Crossing> gaining_;  // those before v that would gain, from v to the left
    std::vector<Crossing> losing_;   // those after v that would lose, from v to the right

    // Places before this one are looked up in the memo.
    int head_;
    PrefixMemo memo_;
    std::vector<uint64_t> head_keys_;  // by place in the head

    std::vector<int32_t> marked_, touched_;
    std::vector<uint8_t> is_marked_, is_touched_;
};

}  // namespace forebear
