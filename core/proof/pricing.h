// The exact pass over all parent sets: the bound that multipliers prove.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "common/index.h"
#include "proof/clusters.h"

namespace forebear {

/// The id in unused slots.
constexpr uint16_t kNoParent = UINT16_MAX;
/// In the first slot of a column that counts as containing all variables; never the id of a
/// variable.
constexpr uint16_t kEveryVariable = UINT16_MAX - 1;
/// Sets that cost this much or more are not allowed.
constexpr int64_t kNotAllowed = int64_t{1} << 56;

/// Ranked parent sets with their costs in whole ticks, so that sums are exact. The sets of a variable
/// are sorted by cost.
class SetCosts {
public:
    /// The arrays must outlive this. Every variable has an allowed set. `parents` has one row per
    /// slot.
    SetCosts(std::span<const int64_t> offsets, std::span<const int64_t> costs,
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

/// A parent set and its reduced cost: its cost less the multipliers of the clusters it avoids. Or a
/// group of sets with the reduced cost of the cheapest; of their members at most one is known.
struct Column {
    int32_t rank;  ///< of a set; negative for a group
    int64_t reduced;

    /// Sets of unknown members, which count as avoiding every cluster.
    static constexpr int32_t kAny = -1;
    /// Sets that count as hitting every cluster.
    static constexpr int32_t kAll = INT32_MIN;
    /// Sets that contain `member`.
    static Column group(int32_t member, int64_t reduced) { return {-2 - member, reduced}; }
    bool is_set() const { return rank >= 0; }
    /// The variable that all sets of a group contain, or -1; not for kAll.
    int32_t member() const { return -2 - rank; }
};

class Pricing {
public:
    /// The largest level of a cluster.
    static constexpr int kMostLevel = 3;
    /// The most variables in the group of a local cut: for each of them, the others are bits of a
    /// byte.
    static constexpr int kLargestGroup = 9;

    Pricing(const SetCosts& sets, std::vector<PricedCut> clusters);

    /// Lists those of the sets of v whose reduced cost exceeds the least one by at most `slack`.
    /// Returns the least. `ranks` ascend. The sets in `columns` before must be among them; cheap
    /// ones make this faster.
    int64_t price(int v, std::span<const int32_t> ranks, int64_t slack,
                  std::vector<Column>& columns) const;
    /// For every set of v, allowed or not: the sum of the multipliers of the clusters it avoids.
    std::vector<int64_t> avoided(int v, int count) const;
    /// The sum of all multipliers, each times what is due.
    int64_t total() const { return total_; }

private:
    const SetCosts& sets_;
    std::vector<PricedCut> clusters_;
    std::vector<std::vector<int32_t>> of_;  // of v: the clusters it is in
    int64_t total_ = 0;
};

}  // namespace forebear
