// The data as bit vectors: one item for each variable and each of its states but the first.
//
// The count of the first state follows by subtraction. With gaps it does not, so there is an item
// for every state.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "common/index.h"
#include "common/parallel.h"
#include "scoring/kernels.h"
#include "scoring/table.h"

namespace forebear {

class Items {
public:
    /// Variables with more states than this are counted by groups of rows (partition.h), since they
    /// would need as many bit vectors.
    static constexpr int kMostStates = 16;

    Items(const Table& table, std::span<const int> variables, Team& team);

    int count() const { return first_.back(); }
    /// The first item of the i-th variable. Its items end at first(i + 1).
    int first(int i) const { return first_[index(i)]; }
    bool has(int i) const { return narrow_[index(i)]; }
    size_t words() const { return words_; }
    const uint64_t* column(int item) const { return columns_.data() + index(item) * words_; }
    const uint64_t* blocks() const { return blocks_.data(); }
    int n_blocks() const { return (count() + kLanes - 1) / kLanes; }
    /// The number of rows in each item.
    const int32_t* totals() const { return totals_.data(); }
    int64_t bytes() const { return static_cast<int64_t>(8 * (columns_.size() + blocks_.size())); }

private:
    std::vector<int> first_;
    std::vector<bool> narrow_;
    size_t words_;
    std::vector<uint64_t> columns_, blocks_;
    std::vector<int32_t> totals_;
};

}  // namespace forebear
