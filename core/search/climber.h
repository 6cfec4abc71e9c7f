// Hill climbing over orders by insertion (INOBS: Lee and van Beek, 2017), with cached deltas.
//
// A move of v affects another variable u only by whether v precedes u. So for the current order the
// climber stores, for every pair (v, u), the change of u's score if their relation flips: a gain
// where u has a better set whose only member after u is v, a loss where v is a parent of u. The
// change of the total score by inserting v elsewhere is the change of v plus the sum of these
// deltas over the variables that v passes.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "common/budget.h"
#include "common/random.h"
#include "search/ordersets.h"
#include "search/prefixcache.h"

namespace forebear {

class Climber {
public:
    explicit Climber(std::shared_ptr<const OrderSets> sets);

    /// Starts from an order, and computes all deltas.
    void start(std::span<const int32_t> order);
    /// Moves v to the best place at most `window` away, if that improves the score. Returns whether
    /// it does.
    bool improve(int v, int window);

    /// Improves variables in random order until no move improves, or the budget is spent.
    void climb(Random& random, const Budget& budget);
    /// Improves only marked variables and those that a move affects.
    void climb_marked(Random& random, int window, const Budget& budget);
    /// Marks only the variables whose sets differ from the given ones, and the members of both sets.
    void mark_changes(std::span<const int32_t> ranks);
    /// Marks again all variables that were marked since `mark_changes`.
    void mark_touched();

    const OrderSets& sets() const { return *sets_; }
    std::span<const int32_t> order() const { return order_; }
    std::span<const int32_t> ranks() const { return rank_; }
    /// The score relative to the sum of the best sets, in ticks: zero or less.
    int64_t score() const { return score_; }

private:
    struct Step {  // the set `rank` of v fits from `place` on
        int place;
        int32_t ticks;
        int rank;
    };

    struct Crossing {  // a variable whose best set changes if v passes it
        int place;
        int64_t change;  // of all variables passed up to here
    };
    // The first places where a move may improve, in the head and beyond it, and the gain of the
    // other variables at `left`.
    struct Reach {
        int head, left;
        int64_t gain;
    };

    void flag_later(int u, uint8_t flag);
    void set_rank(int u, int rank);
    void refresh(int u);
    void clear_gains(int u);
    void clear_deltas();
    void find_gains(int u, int from, int end, int wanted, int must);
    void find_losses(int u, unsigned which, int from);
    void record_gain(int u, int w, int rank);
    void record_loss(int u, int slot, int parent, int rank);
    void update_deepest(int u);
    void remove_predecessor(int u, int v);
    void add_predecessor(int u, int v);
    void find_steps(int v, int first_place, int last_place, int from, int32_t lowest);
    int best_in_head(int v, int place, uint64_t key, int from);
    void find_head_keys(int v);
    void find_crossings(int v, int first_place, int last_place);
    const int32_t* fill_first_row(int v);
    void clear_first_row(int v);
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
    Pairs gain_rank_;  // [u][w]: the set of a gain, kNoRank if there is none
    std::vector<std::vector<int32_t>> gains_;  // of u: the variables w with a gain
    std::vector<int32_t> loss_rank_;           // [u][slot]: the best set of u without that parent
    std::vector<int32_t> deepest_;  // of u: the last rank that anything stored for u depends on
    std::vector<uint8_t> flags_;
    std::vector<Step> steps_;
    std::vector<int32_t> lost_gains_;  // scratch: variables that no longer give a gain

    std::vector<int32_t> first_row_;  // scratch: a row of first_with, if that is sparse
    std::vector<int32_t> affected_;   // scratch: variables that a move of v affects
    std::vector<Crossing> gaining_;   // variables before v that would gain, from v to the left
    std::vector<Crossing> losing_;    // variables after v that would lose, from v to the right

    // The best sets at places before this one are cached.
    int head_;
    PrefixCache& cache_;  // of the sets, shared by all climbers
    std::vector<uint64_t> head_keys_;  // by place in the head

    std::vector<int32_t> marked_, touched_;
    std::vector<uint8_t> is_marked_, is_touched_;
};

}  // namespace forebear
