// Scores parent sets of all sizes of a few variables, and keeps those that are not dominated.
//
// The sums F and G of every set of variables are computed in one walk (subsetwalk.h) and stored.
// Then the sets of each child are compared with the best of their subsets, by a running maximum
// over the lattice of subsets.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "common/mappedarray.h"
#include "scoring/scoring.h"
#include "scoring/subsetwalk.h"

namespace forebear {

class AllSets final : public Scoring {
public:
    /// For scores whose G depends on the child by its number of states at most, and that have no
    /// penalty of single parents; for tables without missing values. Variables with one state are
    /// no parents.
    AllSets(std::shared_ptr<const PackedTable> packed, ScoreOptions score, Constraints constraints,
            int threads);

    /// The size of the largest set kept.
    int slots() const override { return largest_; }

    /// The memory for this many variables with more than one state, before any set is kept.
    static int64_t bytes(int variables, int classes, int threads);

private:
    using Sums = MappedArray<int64_t>;  // by the members of a set, as bits of parents_

    void walk(Team& team) override;
    void walk_table(size_t place, std::span<const int> children, Team& team);
    int unpack(uint64_t parents, int* members) const override;
    int64_t sets() const { return int64_t{1} << parents_.size(); }
    void count(const SubsetWalk& walk, Score& score, Team& team);
    void sum_up(const SubsetWalk& walk, uint32_t places, const Cells& cells, Score& score,
                TermCache& terms);
    void prune(int child, Sums& best, RecordList& kept);
    uint64_t packed(uint32_t members) const;
    std::span<const int64_t> sums_of_parents(int child) const;

    std::vector<int> parents_;    // the variables with more than one state, ascending
    std::vector<uint32_t> bits_;  // of every variable among these, or 0
    std::vector<int32_t> classes_;             // numbers of states of children; none where G = F
    // Of the table that is walked:
    std::vector<const Term*> configurations_;  // of G, by class
    Sums f_;
    std::vector<Sums> g_;  // by class
    std::atomic<int> largest_{0};
};

}  // namespace forebear
