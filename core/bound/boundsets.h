// Ranked parent sets in the form that the bound reads: the cost of a set is how far its score is
// below the variable's best.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "common/index.h"
#include "common/parentsets.h"

namespace forebear {

/// The id in unused slots.
constexpr uint16_t kNoParent = UINT16_MAX;
/// In the first slot of a column that counts as containing all variables; never the id of a
/// variable.
constexpr uint16_t kEveryVariable = UINT16_MAX - 1;

/// Costs are whole ticks, rounded down, so that bounds are valid and sums are exact.
class BoundSets {
public:
    /// The arrays, except for the offsets, must outlive this.
    explicit BoundSets(const ParentSetsView<uint16_t>& sets);

    int n() const { return n_; }
    int slots() const { return slots_; }
    /// The number of allowed sets of v up to the empty set: any set that ranks lower is never
    /// chosen.
    int count(int v) const { return counts_[index(v)]; }
    /// The number of all sets of v.
    int all(int v) const { return static_cast<int>(offsets_[index(v) + 1] - offsets_[index(v)]); }
    /// The rank of the empty set, whether it is allowed or not.
    int empty_rank(int v) const { return empty_[index(v)]; }
    double best(int v) const { return scores_[offsets_[index(v)]]; }
    int64_t cost(int v, int rank) const {
        // The difference may be rounded up: two units in its last place make up for that.
        const double below = (best(v) - scores_[offsets_[index(v)] + rank]) * (1.0 - 0x1p-52);
        return static_cast<int64_t>(below * ticks_per_nat_);
    }
    uint16_t parent(int v, int slot, int rank) const {
        return parents_[slot * total_ + offsets_[index(v)] + rank];
    }
    /// A power of two. All costs together stay below 2^52 ticks.
    double ticks_per_nat() const { return ticks_per_nat_; }
    /// Whether every variable has an allowed set.
    bool possible() const { return possible_; }

private:
    void choose_ticks();

    int n_, slots_;
    int64_t total_;
    std::vector<int64_t> offsets_;
    const double* scores_;
    const uint16_t* parents_;
    std::vector<int> counts_, empty_;
    double ticks_per_nat_ = 1.0;
    bool possible_ = true;
};

}  // namespace forebear
