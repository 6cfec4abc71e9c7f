// Ranked parent sets as the bound reads them: what each costs below the variable's best set.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "common/index.h"
#include "common/parentsets.h"

namespace forebear {

/// In a slot of `parents` that holds none.
constexpr uint16_t kNoParent = UINT16_MAX;
/// In the first slot of a column that counts as holding all variables; never a variable's number.
constexpr uint16_t kEveryVariable = UINT16_MAX - 1;

/// Costs are whole ticks, rounded down: no network costs less than it is said to, and sums are
/// exact.
class BoundSets {
public:
    /// `parents` has a row per slot; it and the scores must outlive this.
    explicit BoundSets(const ParentSetsView<uint16_t>& sets);

    int n() const { return n_; }
    int slots() const { return slots_; }
    /// How many sets variable v may have, up to and with the empty one: those after it are of no
    /// use.
    int count(int v) const { return counts_[index(v)]; }
    /// Where the empty set is, whether v may have it or not.
    int empty_rank(int v) const { return empty_[index(v)]; }
    double best(int v) const { return scores_[offsets_[index(v)]]; }
    int64_t cost(int v, int rank) const {
        // The difference is rounded, perhaps up: two units of its last digit make up for that.
        const double below = (best(v) - scores_[offsets_[index(v)] + rank]) * (1.0 - 0x1p-52);
        return static_cast<int64_t>(below * ticks_per_nat_);
    }
    uint16_t parent(int v, int slot, int rank) const {
        return parents_[slot * total_ + offsets_[index(v)] + rank];
    }
    /// A power of two. All costs together stay below 2^52 ticks.
    double ticks_per_nat() const { return ticks_per_nat_; }
    /// Whether every variable has a set that it may have.
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
