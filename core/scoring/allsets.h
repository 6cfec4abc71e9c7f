// Scores all parent sets of a few variables, whatever their size, and keeps those worth having.
//
// The sums F and G of every set of variables are computed in one walk (subsetwalk.h) and stored.
// Then the sets of each child are compared with the best of their subsets, by a running maximum
// over the lattice of subsets.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <vector>

#include "common/mappedarray.h"
#include "scoring/engine.h"
#include "scoring/subsetwalk.h"

namespace forebear {

class AllSets {
public:
    /// For scores whose G depends on the child by its number of states at most, and that have no
    /// penalty of single parents; for tables without missing values. Variables with one state are no
    /// parents.
    AllSets(std::shared_ptr<const PackedTable> packed, ScoreOptions score, Constraints constraints,
            int threads);

    /// Counts, scores and prunes. Returns why it stopped early, or Stop::none.
    Stop run(const Budget& budget);
    /// The number of sets of every variable, once run.
    std::vector<int64_t> counts() const;
    /// The size of the largest set kept, which is the number of slots that `write` fills.
    int slots() const;
    /// Writes the ranked sets of every variable. The arrays are laid out as in ParentSetsView.
    template <class Id>
    void write(std::span<const int64_t> offsets, double* scores, Id* parents, int64_t total) const;
    /// The number of sets of variables that are counted: the measure of progress.
    int64_t work() const { return int64_t{1} << walk_.size(); }

    Control control;

    /// The memory for this many variables with more than one state, before any set is kept.
    static int64_t bytes(int variables, int classes, int threads);

private:
    struct Kept {
        int64_t score;
        uint32_t members;  // bits of parents_
    };
    using Sums = MappedArray<int64_t>;  // by the members of a set, as bits of parents_

    void count(Team& team);
    void sum_up(uint32_t places, const Cells& cells, TermCache& terms);
    void prune(int child, Sums& best);
    std::span<const int64_t> sums_of_parents(int child) const;
    bool has_required(int child) const;

    std::shared_ptr<const PackedTable> packed_;
    const Table& table_;
    Constraints constraints_;
    int threads_;
    Score score_;
    std::vector<int> parents_;    // the variables with more than one state, ascending
    std::vector<uint32_t> bits_;  // of every variable among these, or 0
    SubsetWalk walk_;
    std::vector<int32_t> classes_;             // numbers of states of children; none where G = F
    std::vector<const Term*> configurations_;  // of G, by class
    Sums f_;
    std::vector<Sums> g_;                  // by class
    std::vector<std::vector<Kept>> kept_;  // by child, best first
};

}  // namespace forebear
