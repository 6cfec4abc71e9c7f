// Counts of a table with gaps, row by row: for sets with too many cells for bit vectors, and for
// rows with weights.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "scoring/available.h"
#include "scoring/table.h"

namespace forebear {

class GapCounts {
public:
    /// Weighted counts are in units of which `unit` make a row; others are rows.
    GapCounts(const Table& table, int64_t unit) : table_(table), unit_(unit) {}

    /// Finds the rows where these variables are all observed, and their cells.
    void prepare(std::span<const int> members);
    /// Counts the prepared variables and one more, which comes last.
    void count(int variable, AvailableSums& sums);

    /// Of the prepared variables: their cells, the rows where all are observed, and the cell of
    /// each of these rows (where the cells are few).
    double cells() const { return cells_; }
    std::span<const uint32_t> rows() const { return rows_; }
    std::span<const uint32_t> places() const { return places_; }

    int64_t bytes() const;

private:
    bool is_dense(int variable) const;
    void count_table(int variable, AvailableSums& sums);
    void count_cells(int variable, AvailableSums& sums);
    /// Weighted counts in units, for rows worth as many equal rows as Kish's effective number.
    template <class Out>
    void to_units(std::span<const int64_t> weights, Out out) const;
    void weigh(size_t i, int variable, int64_t& cell);

    const Table& table_;
    int64_t unit_;
    std::vector<int> members_;
    std::vector<int32_t> arities_;
    double cells_ = 1.0;
    // Of the rows where all members are observed:
    std::vector<uint32_t> rows_;
    std::vector<uint32_t> places_;  // the cell of each, where the cells are few
    std::vector<int32_t> weights_;  // the sum of the logarithmic weights of the members
    // Working memory.
    std::vector<int64_t> weighed_;
    std::vector<std::pair<uint64_t, uint32_t>> keyed_;
    std::vector<int32_t> counts_;
    std::vector<std::vector<uint64_t>> words_;
    int64_t weight_sum_ = 0, n_weighed_ = 0;
    uint64_t square_sum_ = 0;
};

}  // namespace forebear
