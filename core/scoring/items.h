// The data as bit vectors: one item for each variable and each of its states but the first.
//
// The count of the first state follows by subtraction. With missing values it does not, so there is
// an item for every state.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "common/budget.h"
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

/// Masks of some rows, and how many of them every item has: the counts of all variables at once.
/// One thread's working memory.
class MaskCounts {
public:
    /// Whether this many masks are faster than a look at so many rows for each of the candidates.
    static bool pay(const Items& items, double masks, size_t rows, size_t candidates);

    explicit MaskCounts(const Items& items) : items_(items) {}
    /// Makes empty masks.
    void reset(size_t masks);
    void add(size_t mask, uint32_t row) {
        masks_[mask * items_.words() + (row >> 6)] |= uint64_t{1} << (row & 63);
    }
    /// Counts all masks. Returns false if the budget ended before.
    bool count(BudgetOfRows& budget);
    /// The counts of a mask, by item.
    const int32_t* operator[](size_t mask) const { return counts_[mask].data(); }

private:
    const Items& items_;
    size_t size_ = 0;
    std::vector<uint64_t> masks_;
    std::vector<std::vector<int32_t>> counts_;
};

}  // namespace forebear
