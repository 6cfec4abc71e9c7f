// Scores the neighbours of a parent set, as Neighbours does, for tables with missing values.
//
// The value of a family takes those of all its subsets (available.h). They are remembered.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "scoring/available.h"
#include "scoring/neighbours.h"

namespace forebear {

/// One thread's working memory.
class AvailableNeighbours {
public:
    /// The values of one child by the keys of its parent sets: sums of one word per variable.
    using Values = std::unordered_map<uint64_t, int64_t>;

    AvailableNeighbours(const NeighbourData& data, std::span<const uint64_t> keys);

    /// The values of child | parents + u for every u of `candidates`, in fixed point. Returns false
    /// if the budget ended before all were found.
    bool score(int child, std::span<const uint16_t> parents, std::span<const int32_t> candidates,
               Values& values, int64_t* scores, BudgetOfRows& budget);

private:
    /// Nothing if the budget has ended.
    std::optional<int64_t> value(int child, std::span<const uint16_t> parents, Values& values,
                                 BudgetOfRows& budget);
    uint64_t key(std::span<const uint16_t> parents) const;
    bool mask_cells(BudgetOfRows& budget);
    void fill_by_bits(int u);

    const NeighbourData& data_;
    std::span<const uint64_t> keys_;
    AvailableSums<1> available_;
    ObservedRows observed_;
    std::vector<int> members_;
    std::vector<int64_t> smaller_;  // of one candidate after another, without each of its parents
    MaskCounts masks_;  // by cell of parents and child
    std::vector<int32_t> arities_;
};

}  // namespace forebear
