// A growing collection of parent sets: the search asks for the neighbors of the sets it uses.
//
// A neighbor of a set has one parent more, one less, or one exchanged. Asking for a set P scores
// P + u for all candidates u, and Q + u for every Q that P leaves when it loses one parent. Of what
// is scored, sets stay that no subset beats, as far as subsets stay and are looked at: the empty one,
// those of one and two, and those with one parent less.
//
// Knowledge about paths may need arcs that lower the score. It may require groups of parents of a
// variable: sets with all of a group also stay if no such subset with all of the group beats them.
// The first group of every variable is empty.
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
#include "scoring/table.h"
#include "scoring/neighbors.h"
#include "scoring/score.h"

namespace forebear {

/// A parent set with its score. Unused places of `members` hold kWordPad.
struct GrownSet {
    double score;
    uint64_t key;  ///< a hash of the members
    uint16_t members[kMaxSlots];
    uint8_t size;
    bool asked;  ///< whether its neighbors have been scored, with every required group
};

/// Whether a set has all of some members. Both ascend.
inline bool has_all(std::span<const uint16_t> set, std::span<const uint16_t> members) {
    return std::includes(set.begin(), set.end(), members.begin(), members.end());
}

struct GrowthOptions {
    std::vector<int32_t> max_parents;  ///< of every variable, at most kMaxSlots
    /// Candidate parents of every variable; empty: all that the constraints allow.
    std::vector<std::vector<int32_t>> candidates;
    int64_t most_sets = INT64_MAX;  ///< kept per variable; the worst are forgotten
    /// Families of a variable whose scores are remembered; beyond, it is not asked for more.
    int64_t most_families = INT64_MAX;
};

class GrowingSets {
public:
    /// `team` is needed only while this is made.
    GrowingSets(std::shared_ptr<const PackedTable> packed, ScoreOptions score,
                Constraints constraints, GrowthOptions options, Team& team);

    int n() const { return table_.n_variables(); }
    /// Forgets all sets, required groups and what was asked for, but not the scores of families.
    void clear();
    /// Adds sets that were scored elsewhere: those that no known subset beats and that are not too
    /// large, or all. Returns the number of sets added.
    int64_t add(const ParentSetsView<uint16_t>& sets, bool all, int threads);
    /// Scores the neighbors of the sets of several networks, given by the ranks of their sets, one
    /// network after another. Sets that were asked for before are skipped. Returns the number of
    /// sets added. When the budget ends, sets whose neighbors are not all scored may be asked for
    /// again. Of the sets with one parent more than a set, either all are then known, or none.
    int64_t grow(std::span<const int32_t> ranks, int threads, const Budget& budget);
    /// Requires a group of parents of a variable. With networks (as for `grow`), scores the group
    /// itself, whatever the budget, and the neighbors of their sets with the group added. Without,
    /// it is only noted.
    struct Need {
        int child;
        std::vector<uint16_t> parents;  // ascending
    };
    void require(const std::vector<Need>& needs, std::span<const int32_t> ranks, int threads,
                 const Budget& budget);
    /// For every child and every other variable, what the child gains if that becomes a parent, in
    /// the network of these ranks, and one of the others may be given up for it: -HUGE_VAL if it
    /// may not, 0 if it is one.
    void gains(std::span<const int32_t> ranks, double* matrix, int threads);
    /// The number of sets of each variable, the empty one included, and the slots they need.
    std::vector<int64_t> counts() const;
    int slots() const;
    /// Writes all sets, ranked, as ParentSetsView has them.
    void write(std::span<const int64_t> offsets, double* scores, uint16_t* parents,
               int threads) const;
    /// The ranks, after the last change, of sets given by their ranks before it. A set that was
    /// forgotten becomes the empty set.
    std::vector<int32_t> translate(std::span<const int32_t> ranks) const;
    int64_t families() const { return families_; }
    /// The number of families with one parent more than the sets that were ever asked for, whether
    /// they were known or not. Unlike `families`, it does not depend on what is remembered.
    int64_t requests() const { return requests_; }
    /// The sets of a variable that were ever asked for, by their keys, ascending.
    std::vector<uint64_t> requested(int child) const;
    /// Notes sets that were asked for before this was made: they are not counted again.
    void note_requested(int child, std::span<const uint64_t> keys);
    int64_t bytes() const;

private:
    struct RequiredParents {
        std::vector<uint16_t> members;  // ascending
        uint64_t key = 0;
        // By set: its score, or -HUGE_VAL if it did not stay. What did not stay decides nothing
        // later, so that a collection goes on in the same way when it is opened again.
        FlatMap<double> known;
        std::unordered_set<uint64_t> asked;
        bool holds(uint16_t member) const {
            return std::binary_search(members.begin(), members.end(), member);
        }
    };
    struct Variable {
        std::vector<GrownSet> sets;  // ranked
        std::vector<GrownSet> fresh;
        std::vector<int32_t> moved;  // the ranks after the last change; empty: as before it
        std::vector<RequiredParents> required{1};  // the first is empty
        std::unordered_set<uint64_t> listed;  // the sets that are there, if there are more groups
        FlatMap<double> scores;               // of all families scored, also before `clear`
        std::unordered_set<uint64_t> requested;  // all sets asked for, also before `clear`
        // With missing values: those that larger sets are compared with.
        AvailableNeighbors::Values values;
        int64_t families = 0, requests = 0;
        int64_t zero = 0;  // what scores are relative to, in fixed point
        bool zero_known = false;
    };
    /// One thread's working memory, for tables with missing values and for others.
    struct Asking {
        Neighbors neighbors;
        AvailableNeighbors families;
        std::vector<int64_t> ticks;
        std::vector<double> scores;
        std::vector<double> fresh;  // of the unknown candidates
        std::vector<int32_t> used;
        std::vector<int32_t> unknown;  // candidates whose families were never scored
        BudgetOfRows budget{};
    };
    Asking make_asking(const Budget& budget) const;
    RequiredParents& required_parents(Variable& variable, std::span<const uint16_t> members);
    void list(Variable& variable, const GrownSet& set) const;
    // These return whether all was scored before the budget ended. What was not may be asked again.
    bool ask(Asking& state, int child, RequiredParents& required,
             std::span<const uint16_t> parents);
    bool ask_around(Asking& state, int child, RequiredParents& required,
                    std::span<const uint16_t> parents);
    bool ask_for(Asking& state, int child, std::span<const uint16_t> parents);
    bool evaluate(Asking& state, int child, std::span<const uint16_t> parents,
                  std::span<const int32_t> candidates, BudgetOfRows& budget);
    void score_required(Asking& state, int child, RequiredParents& required);
    bool score_unknown(Asking& state, int child, std::span<const uint16_t> parents,
                       BudgetOfRows& budget);
    GrownSet made(std::span<const uint16_t> parents, int32_t more, double score) const;
    std::vector<int32_t> possible(int child, std::span<const uint16_t> parents) const;
    void count_families();
    void merge(Variable& variable, std::span<const int32_t> used = {});
    bool has_required(int child, std::span<const uint16_t> parents) const;
    double best_of_subsets(const RequiredParents& required, const GrownSet& set) const;
    uint64_t key(std::span<const uint16_t> members) const;

    std::shared_ptr<const PackedTable> packed_;
    const Table& table_;
    Constraints constraints_;
    GrowthOptions options_;
    std::atomic<int64_t> score_bytes_{0};
    Score score_;
    NeighborData data_;
    std::vector<uint64_t> keys_;  // a random word per variable: a set's key is their sum
    std::vector<Variable> variables_;
    int64_t families_ = 0, requests_ = 0;
};

}  // namespace forebear
