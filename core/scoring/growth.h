// A growing collection of parent sets: the search requests the neighbors of the sets it uses.
//
// A neighbor of a set has one parent more, one parent less, or one parent exchanged. A request for
// a set P scores P + u for all candidates u, and Q + u for every Q that is P without one parent (with
// a margin, only Q). A
// scored set is kept if it scores higher than its kept subsets, or at most a margin lower. Only some
// subsets are compared: the empty set, those of one and two parents, and those with one parent less.
// A set with useful parents (scoring/engine.h) is compared only with subsets that have them as well.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <unordered_set>
#include <vector>

#include "common/budget.h"
#include "common/flatmap.h"
#include "common/parallel.h"
#include "common/parentsets.h"
#include "common/slots.h"
#include "scoring/engine.h"
#include "scoring/familyscores.h"
#include "scoring/table.h"
#include "scoring/neighbors.h"
#include "scoring/score.h"

namespace forebear {

/// A parent set with its score. Unused places of `members` hold kWordPad.
struct StoredSet {
    double score;
    uint64_t key;  ///< a hash of the members
    uint16_t members[kMaxSlots];
    uint8_t size;
    bool requested;  ///< whether its neighbors were scored
};

struct GrowthOptions {
    std::vector<int32_t> max_parents;  ///< of every variable, at most kMaxSlots
    /// Candidate parents of every variable; empty: all that the constraints allow.
    std::vector<std::vector<int32_t>> candidates;
    int64_t most_sets = INT64_MAX;  ///< per variable; the worst are dropped
    /// Families of a variable whose scores are stored. Beyond this, it is not extended.
    int64_t most_families = INT64_MAX;
    /// Nats; with a margin, many more sets are extended, so scores of pruned sets are not stored.
    double margin = 0.0;
    /// All sets of up to this many parents are among those added, so smaller ones are not extended.
    int complete = 0;
};

class GrowingSets {
public:
    /// `team` is used only by the constructor.
    GrowingSets(std::shared_ptr<const PackedTable> packed, ScoreOptions score,
                Constraints constraints, GrowthOptions options, Team& team);

    int n() const { return table_.n_variables(); }
    /// Drops all sets and requests, but not the scores of families, and continues under other
    /// constraints.
    void clear(Constraints constraints);
    /// Adds sets that were scored elsewhere: all, or those that fit the constraints and that no kept
    /// subset dominates. Returns the number of sets added.
    int64_t add(const ParentSetsView<uint16_t>& sets, bool all, int threads);
    /// Scores the neighbors of the sets of several networks, given by the ranks of their sets, one
    /// network after another. Sets that were requested before are skipped. Returns the number of
    /// sets added. After the end of the budget, sets whose neighbors are not all scored can be
    /// requested again. Of the sets with one parent more than a set, either all are scored or none.
    int64_t grow(std::span<const int32_t> ranks, int threads, const Budget& budget);
    /// Scores sets that are not empty, in ascending order, and adds them as `add` does. Returns the
    /// number of sets added.
    struct Family {
        int child;
        std::vector<uint16_t> parents;
    };
    int64_t score(const std::vector<Family>& families);
    /// For every child and every other variable, the gain in score if that variable becomes a
    /// parent in a network with these parents and local scores, in addition to the child's parents
    /// or instead of one: -HUGE_VAL if the arc is not allowed, 0 if it exists.
    void gains(const std::vector<std::vector<uint16_t>>& network, std::span<const double> scores,
               double* matrix, int threads);
    /// The number of sets of each variable, including the empty set, and the size of the largest.
    std::vector<int64_t> counts() const;
    int slots() const;
    /// Writes all sets in ranked order, in the layout of ParentSetsView.
    void write(std::span<const int64_t> offsets, double* scores, uint16_t* parents,
               int threads) const;
    /// The current ranks of sets, given by their ranks before the last change. A set that was
    /// dropped becomes the empty set.
    std::vector<int32_t> translate(std::span<const int32_t> ranks) const;
    int64_t families() const { return families_; }
    /// The number of families with one parent more than the requested sets, whether they had been
    /// scored before or not. Unlike `families`, it does not depend on which scores are stored.
    int64_t requests() const { return requests_; }
    /// For every set, in the order of `write`, whether all sets with one parent more were scored.
    std::vector<uint8_t> extended() const;
    /// The keys of all requested sets of a variable, in ascending order.
    std::vector<uint64_t> requested(int child) const;
    /// Records sets that were requested before this object was created, so as not to count them
    /// again.
    void note_requested(int child, std::span<const uint64_t> keys);
    int64_t bytes() const;

private:
    struct Variable {
        std::vector<StoredSet> sets;  // ranked
        std::vector<StoredSet> new_sets;
        std::vector<int32_t> new_ranks;  // after the last change; empty: unchanged
        // By set: the best score of the set and its compared subsets (with useful parents, that of
        // the set), or -HUGE_VAL if it was not kept. Sets that were not kept do not prune others, so a collection that is read from a
        // file grows in the same way.
        FlatMap<double> kept;
        std::unordered_set<uint64_t> requested;      // since the last `clear`
        FlatMap<double> scores;                      // of all scored families, also before `clear`
        std::unordered_set<uint64_t> all_requested;  // also before `clear`
        // With missing values: the values that those of larger sets are computed from.
        AvailableNeighbors::Values values;
        int64_t families = 0, requests = 0;
        int64_t zero = 0;  // scores are relative to this, in fixed point
        bool has_zero = false;
    };
    /// One thread's working memory, for tables with missing values and for others.
    struct Workspace {
        std::vector<Neighbors> neighbors;  // by table
        AvailableNeighbors families;
        std::vector<int64_t> ticks;
        std::vector<double> scores;
        std::vector<double> new_scores;  // of the unknown candidates
        std::vector<int32_t> used;
        std::vector<int32_t> unknown;  // candidates whose families were never scored
        BudgetOfRows budget{};
    };
    Workspace make_workspace(const Budget& budget) const;
    bool stores_pruned() const { return options_.margin == 0.0; }
    bool add_unless_dominated(int child, const StoredSet& set);
    // These return false if the budget ended before everything was scored; it can be requested
    // again.
    bool request(Workspace& state, int child, std::span<const uint16_t> parents);
    bool add_family(Workspace& state, int child, std::span<const uint16_t> parents);
    bool request_neighbors(Workspace& state, int child, std::span<const uint16_t> parents);
    bool evaluate(Workspace& state, int child, std::span<const uint16_t> parents,
                  std::span<const int32_t> candidates, BudgetOfRows& budget);
    bool score_unknown(Workspace& state, int child, std::span<const uint16_t> parents,
                       BudgetOfRows& budget);
    StoredSet make_set(std::span<const uint16_t> parents, int32_t more, double score) const;
    std::vector<int32_t> allowed_candidates(int child, std::span<const uint16_t> parents) const;
    void count_families();
    void merge(Variable& variable, std::span<const int32_t> used = {});
    bool has_required(int child, std::span<const uint16_t> parents) const;
    bool fits_constraints(int child, std::span<const uint16_t> parents) const;
    template <class Visit>
    void for_each_subset(const Variable& variable, const StoredSet& set, const Visit& visit) const;
    bool is_needed(int child, const StoredSet& set) const;
    uint64_t key(std::span<const uint16_t> members) const;

    std::shared_ptr<const PackedTable> packed_;
    const Table& table_;
    Constraints constraints_;
    GrowthOptions options_;
    std::atomic<int64_t> score_bytes_{0};
    FamilyScores scores_;
    std::vector<NeighborData> data_;  // by table
    std::vector<uint64_t> keys_;  // a random word per variable: a set's key is their sum
    std::vector<Variable> variables_;
    int64_t families_ = 0, requests_ = 0;
};

}  // namespace forebear
