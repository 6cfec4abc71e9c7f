// Counts, scores and prunes all families of a set of variables.
//
// A contingency table serves every member of its set as the child, so the walk is over sets
// S = prefix + z, level by level (|S| = 1, 2, ...). For a fixed prefix, counts and sums F and G are
// in rows that are contiguous in z. A level needs all levels below, which are stored. The last
// level is pruned as it is made and never stored.
#pragma once

#include <atomic>
#include <climits>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "common/budget.h"
#include "common/index.h"
#include "common/parallel.h"
#include "common/platform.h"
#include "common/subsets.h"
#include "scoring/table.h"
#include "scoring/kernels.h"
#include "scoring/partition.h"
#include "scoring/records.h"
#include "scoring/score.h"

namespace forebear {

/// Which parents are allowed, required and useful.
///
/// A set is pruned if a subset scores at least as high. A set with useful parents is kept if, for
/// some choice of at most `most_useful` of them, it scores higher than all subsets that have the
/// choice.
struct Constraints {
    std::vector<uint8_t> allowed;  ///< allowed[child * n + parent]; empty: all are allowed
    std::vector<std::vector<int>> required;  ///< by child; empty: none is required
    std::vector<uint8_t> useful;             ///< useful[child * n + parent]; empty: none is
    int most_useful = 0;
    bool allows(int n, int child, int parent) const {
        return allowed.empty() || allowed[index(child) * index(n) + index(parent)];
    }
    bool makes_useful(int n, int child, int parent) const {
        return !useful.empty() && useful[index(child) * index(n) + index(parent)];
    }
};

/// Why a run stopped before its end.
enum class Stop : int { none, cancelled, out_of_memory, out_of_time };

/// Shared by all threads of a run: its progress, its memory, and whether to stop.
struct Control {
    // Members that all threads change are on cache lines of their own.
    alignas(kCacheLine) std::atomic<int64_t> done{0};  ///< families
    alignas(kCacheLine) std::atomic<int64_t> bytes{0};
    alignas(kCacheLine) std::atomic<Stop> reason{Stop::none};
    int64_t byte_limit = INT64_MAX;
    const Budget* budget = nullptr;  ///< of the run in progress

    bool stopped() const { return reason.load(std::memory_order_relaxed) != Stop::none; }
    /// Only the first reason is recorded.
    void stop(Stop why) {
        Stop none = Stop::none;
        reason.compare_exchange_strong(none, why);
    }
    /// Called regularly during a run. Returns true if the run must stop.
    bool check();
};

/// The stored data of a level: arrays over the sets of one size, in lexicographic order.
struct Level {
    int64_t size = 0;
    std::vector<std::unique_ptr<int64_t[]>>
        f;  ///< one array, or one per position of the child (Shape::by_child, or missing values)
    std::vector<std::unique_ptr<int64_t[]>>
        g;  ///< one array per class of the child's arity; none where G = F, or 0 (missing values)
    std::unique_ptr<int32_t[]> occupied;  ///< non-empty cells (Shape::by_child)
    std::vector<int64_t>
        item_rows;  ///< where the counts of each prefix start; -1: not counted by bits
    std::unique_ptr<int32_t[]> item_counts;
    int64_t bytes = 0;
};

struct ScoringOptions {
    int max_parents = 3;
    int threads = 1;
    int64_t max_sets = 0;  ///< kept per variable; 0: all
    /// A set is pruned only if a subset scores higher by at least this many nats.
    double margin = 0.0;
    /// One walk for all variables, or one for each over its allowed parents.
    bool shared_walk = true;
    /// A part of a run keeps, of the last level, the sets whose first member is in [first_member,
    /// last_member), and the lower levels if first_member is 0. Together, the parts keep all sets.
    /// Without a shared walk, only the child matters, which is the first member of its universe.
    int first_member = 0;
    int last_member = INT_MAX;
};

class Worker;

class Engine {
public:
    /// `universe` lists the variables of the table to walk over, in ascending order. Without a
    /// shared walk, the only child comes first. Thread t adds its sets to `lists[t][child]`.
    Engine(const PackedTable& packed, Score& score, std::vector<int> universe,
           const Constraints& constraints, ScoringOptions options, Control& control, Team& team,
           std::span<std::vector<RecordList>> lists);
    void run();

private:
    friend class Worker;
    bool only_first() const { return !options_.shared_walk; }
    bool allocate(int level);
    /// Whether counting the sets prefix + z by bits is faster than by groups of rows.
    bool counted_by_bits(std::span<const int> prefix) const;
    /// The required parents of the i-th variable of the universe, as variables of the table.
    const std::vector<int>& required(int i) const;
    /// Whether a variable of the table is a useful parent of the i-th variable of the universe.
    bool useful(int i, int parent) const {
        return constraints_.makes_useful(table_.n_variables(), universe_[index(i)], parent);
    }
    /// Whether a set of the i-th variable of the universe is pruned if any subset scores as high.
    bool pruned_simply(int i) const {
        return margin_ == 0 && constraints_.useful.empty() && required(i).empty();
    }
    void run_level(int level);
    /// Makes the terms of the sets of up to one variable. All threads share the work.
    void make_first_terms();

    const Table& table_;
    Score& score_;
    std::vector<int> universe_;
    const Constraints& constraints_;
    ScoringOptions options_;
    Control& control_;
    Team& team_;
    std::span<std::vector<RecordList>> lists_;

    int n_;
    Shape shape_;
    std::vector<int32_t> arities_;   // of the universe
    std::vector<int32_t> class_of_;  // of the universe's arities, padded to whole vectors
    std::vector<int32_t> classes_;   // arities that occur (Shape::by_arity), else one
    Subsets subsets_;
    std::unique_ptr<const Items> own_items_;  // of an only child and its candidates
    const Items& items_;
    Packing packing_;
    std::vector<int64_t> zeros_;  // G where values are missing: F is the value of the family
    bool all_binary_;
    int64_t margin_;  // in fixed point
    bool constrained_;
    std::vector<Level> levels_;
};

}  // namespace forebear
