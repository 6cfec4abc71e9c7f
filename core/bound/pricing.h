// What multipliers prove: the exact pass over all sets.
#pragma once

#include <cstdint>
#include <vector>

#include "bound/boundsets.h"
#include "bound/clusters.h"

namespace forebear {

/// A set and its reduced cost: its cost less the multipliers of the clusters it avoids.
/// Or a group of sets by the cheapest of them: all that is said of their members is one, or none.
struct Column {
    int32_t rank;  ///< of a set, else negative
    int64_t reduced;

    static constexpr int32_t kAny = -1;
    /// Sets that hit every cluster, for all that is known.
    static constexpr int32_t kAll = INT32_MIN;
    /// Sets that hold a variable.
    static Column group(int32_t member, int64_t reduced) { return {-2 - member, reduced}; }
    bool is_set() const { return rank >= 0; }
    /// The variable that all sets of a group hold, or -1; not for kAll.
    int32_t member() const { return -2 - rank; }
};

/// The sets of one variable that are not known to be of no use; at first all.
struct Kept {
    bool all = true;
    std::vector<int32_t> ranks;  ///< ascending, unless all are kept
};

class Pricing {
public:
    Pricing(const BoundSets& sets, std::vector<Weighted> clusters);

    /// Lists the sets of v whose reduced cost exceeds the least one by no more than `slack`, by
    /// rank. Returns the least. What was in `columns` must be kept, too; it makes this faster.
    int64_t price(int v, const Kept& kept, int64_t slack, std::vector<Column>& columns) const;
    /// The sum of all multipliers, each as often as its cluster is avoided at least.
    int64_t total() const { return total_; }

private:
    const BoundSets& sets_;
    std::vector<Weighted> clusters_;
    std::vector<std::vector<int32_t>> of_;  // of v: the clusters it is in
    int64_t total_ = 0;
};

}  // namespace forebear
