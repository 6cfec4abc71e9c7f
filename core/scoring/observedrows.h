// The rows where some variables are all observed, and counts of them row by row: for sets with too
// many cells for bit vectors.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "scoring/available.h"
#include "scoring/table.h"

namespace forebear {

class ObservedRows {
public:
    explicit ObservedRows(const Table& table) : table_(table) {}

    /// Finds the rows where these variables are all observed, and their cells.
    void prepare(std::span<const int> members);
    /// Counts the prepared variables and one more, which comes last.
    void count(int variable, AvailableSums<1>& sums);

    /// Of the prepared variables: their cells, the rows where all are observed, and the cell of
    /// each of these rows (where the cells are few).
    double cells() const { return cells_; }
    std::span<const uint32_t> rows() const { return rows_; }
    std::span<const uint32_t> places() const { return places_; }

    int64_t bytes() const;

private:
    const Table& table_;
    std::vector<int> members_;      // the last place is for the one that is counted with them
    std::vector<int32_t> arities_;  // likewise
    double cells_ = 1.0;
    // Of the rows where all members are observed:
    std::vector<uint32_t> rows_;
    std::vector<uint32_t> places_;  // the cell of each, where the cells are few
    std::vector<uint32_t> common_;  // those where the one that is counted is observed, too
};

}  // namespace forebear
