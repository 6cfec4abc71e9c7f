// Ranked parent sets in the form that the dual ascent reads.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "common/index.h"

namespace forebear {

/// The id in unused slots.
constexpr uint16_t kNoParent = UINT16_MAX;
/// In the first slot of a column that counts as containing all variables; never the id of a
/// variable.
constexpr uint16_t kEveryVariable = UINT16_MAX - 1;
/// Sets that cost this much or more are not allowed.
constexpr int64_t kNotAllowed = int64_t{1} << 56;

/// Costs are whole ticks, so that sums are exact. The sets of a variable are sorted by cost.
class BoundSets {
public:
    /// The arrays must outlive this. Every variable has an allowed set. `parents` has one row per
    /// slot.
    BoundSets(std::span<const int64_t> offsets, std::span<const int64_t> costs,
              const uint16_t* parents, int slots)
        : offsets_(offsets), costs_(costs), parents_(parents), slots_(slots) {
        for (size_t v = 0; v + 1 < offsets.size(); ++v) {
            int64_t end = offsets[v];
            while (end + 1 < offsets[v + 1] && slots > 0 && parents[end] != kNoParent) ++end;
            if (costs[index(end)] < kNotAllowed) ++end;
            counts_.push_back(static_cast<int>(end - offsets[v]));
        }
    }

    int n() const { return static_cast<int>(counts_.size()); }
    int slots() const { return slots_; }
    /// The number of allowed sets of v up to the empty set: any set that ranks lower is never
    /// chosen.
    int count(int v) const { return counts_[index(v)]; }
    /// The number of all sets of v.
    int all(int v) const { return static_cast<int>(offsets_[index(v) + 1] - offsets_[index(v)]); }
    int64_t cost(int v, int rank) const { return costs_[index(offsets_[index(v)] + rank)]; }
    uint16_t parent(int v, int slot, int rank) const {
        return parents_[index(slot) * costs_.size() + index(offsets_[index(v)] + rank)];
    }

private:
    std::span<const int64_t> offsets_, costs_;
    const uint16_t* parents_;
    int slots_;
    std::vector<int> counts_;
};

}  // namespace forebear
