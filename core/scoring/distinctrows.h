// Merges equal rows: they are stored once per binary digit of their number.
//
// A row that occurs w times is stored once for every binary digit of w that is 1, and counts 2^k
// times for digit k. Bit vectors can then count rows by the popcount of the rows of each k.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "common/parallel.h"
#include "scoring/table.h"

namespace forebear {

/// Which rows to store, those that count more often first, and where the rows that count 2^k times
/// end (Table::ends).
struct StoredRows {
    std::vector<uint32_t> rows;
    std::vector<int64_t> ends;
};

/// Stores every row as often as its weight has binary digits. `rows` and `weights` are parallel.
StoredRows store_by_digits(std::span<const uint32_t> rows, std::span<const int64_t> weights);

/// Merges equal rows. `weights` is empty, or has the number of times that each row counts. Returns
/// nothing if fewer than half of the rows would be saved, or if rows are too long to be compared.
/// This depends only on the rows that the table stands for, not on their order or on whether a row
/// is repeated or has a weight.
std::optional<StoredRows> merge_rows(const Table& table, std::span<const int64_t> weights,
                                     Team& team);

/// Repeats every row as often as it counts.
StoredRows repeat_rows(std::span<const int64_t> weights);

}  // namespace forebear
