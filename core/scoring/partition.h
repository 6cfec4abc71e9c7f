// Counts of contingency tables by groups of rows that agree on all variables so far.
//
// This is the faster way for tables with more cells than rows. A row alone in its group is dropped
// from the groups and only counted, since nothing can split it further. Rows may count several
// times (table.h).
#pragma once

#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include "common/index.h"
#include "scoring/table.h"

namespace forebear {

/// The counts of the non-empty cells of a contingency table. A further `ones` cells hold one row.
struct CellCounts {
    std::vector<int32_t> counts;
    int64_t ones = 0;
    void clear() {
        counts.clear();
        ones = 0;
    }
};

class Partition {
public:
    /// Puts all rows into one group.
    void reset(const Codes& codes) {
        rows_.resize(index(codes.rows));
        std::iota(rows_.begin(), rows_.end(), 0u);
        join(codes);
    }
    /// Puts these rows into one group.
    void reset(const Codes& codes, std::span<const uint32_t> rows) {
        rows_.assign(rows.begin(), rows.end());
        join(codes);
    }

    /// Splits the groups of `coarse` by one more variable.
    void refine(const Partition& coarse, const Codes& codes, int variable, int arity) {
        rows_.resize(coarse.rows_.size());
        starts_.assign(1, 0);
        singles_ = coarse.singles_;
        histogram_.assign(index(arity), 0);
        codes.visit_counted(variable, [&](const auto* column, auto count) {
            for (size_t g = 0; g < coarse.groups(); ++g)
                split(coarse, column, count, coarse.starts_[g], coarse.starts_[g + 1]);
        });
        rows_.resize(starts_.back());
    }

    /// Counts the cells of these groups split by one more variable.
    void count(const Codes& codes, int variable, int arity, CellCounts& cells) {
        cells.clear();
        cells.ones = singles_[0];
        for (size_t k = 1; k < singles_.size(); ++k)
            cells.counts.insert(cells.counts.end(), index(singles_[k]), int32_t{1} << k);
        histogram_.assign(index(arity), 0);
        codes.visit_counted(variable, [&](const auto* column, auto count) {
            for (size_t g = 0; g < groups(); ++g)
                count_group(column, count, starts_[g], starts_[g + 1], cells);
        });
    }

    /// The rows group by group, without those that are alone in theirs, and where each group starts
    /// and the last one ends.
    const std::vector<uint32_t>& rows() const { return rows_; }
    const std::vector<uint32_t>& starts() const { return starts_; }
    size_t groups() const { return starts_.size() - 1; }
    std::span<const uint32_t> group(size_t g) const {
        return std::span(rows_).subspan(starts_[g], starts_[g + 1] - starts_[g]);
    }
    /// The number of rows that a group stands for.
    int32_t group_total(size_t g, const Codes& codes) const {
        int32_t total = 0;
        for (const uint32_t row : group(g)) total += int32_t{1} << codes.shift(row);
        return total;
    }
    /// The number of groups of one row that counts 2^k times, for k = 0, 1, ...
    const std::vector<int64_t>& singles() const { return singles_; }
    int64_t n_singles() const { return std::accumulate(singles_.begin(), singles_.end(), int64_t{0}); }

    int64_t bytes() const {
        return static_cast<int64_t>(
            4 * (rows_.capacity() + starts_.capacity() + histogram_.capacity() + seen_.capacity()));
    }

private:
    void join(const Codes& codes) {
        starts_.assign(1, 0);
        singles_.assign(codes.shifts ? kMostShifts : 1, 0);
        if (rows_.size() == 1) {
            ++singles_[index(codes.shift(rows_[0]))];
            rows_.clear();
        } else {
            starts_.push_back(static_cast<uint32_t>(rows_.size()));
        }
    }

    template <class Code, class Count>
    void split(const Partition& coarse, const Code* column, Count count, uint32_t begin,
               uint32_t end) {
        seen_.clear();
        for (uint32_t i = begin; i < end; ++i) {
            const auto code = column[coarse.rows_[i]];
            if (histogram_[code]++ == 0) seen_.push_back(code);
        }
        // The count of each state becomes the place for its rows; single rows have none.
        uint32_t place = starts_.back();
        for (const uint32_t code : seen_) {
            const uint32_t size = histogram_[code];
            if (size == 1) {
                if constexpr (Count::always_one) ++singles_[0];
                histogram_[code] = kNowhere;
            } else {
                histogram_[code] = place;
                place += size;
                starts_.push_back(place);
            }
        }
        for (uint32_t i = begin; i < end; ++i) {
            uint32_t& to = histogram_[column[coarse.rows_[i]]];
            if (to != kNowhere) rows_[to++] = coarse.rows_[i];
            else if constexpr (!Count::always_one) ++singles_[index(count.shift(coarse.rows_[i]))];
        }
        for (const uint32_t code : seen_) histogram_[code] = 0;
    }

    template <class Code, class Count>
    void count_group(const Code* column, Count count, uint32_t begin, uint32_t end,
                     CellCounts& cells) {
        for (uint32_t i = begin; i < end; ++i) histogram_[column[rows_[i]]] += count(rows_[i]);
        const auto collect = [&](uint32_t& cell) {
            if (cell == 1) ++cells.ones;
            else if (cell > 1) cells.counts.push_back(static_cast<int32_t>(cell));
            cell = 0;
        };
        if (end - begin < histogram_.size()) {
            for (uint32_t i = begin; i < end; ++i) collect(histogram_[column[rows_[i]]]);
        } else {
            for (uint32_t& cell : histogram_) collect(cell);
        }
    }

    static constexpr uint32_t kNowhere = UINT32_MAX;
    static constexpr size_t kMostShifts = 31;  // counts have 31 bits
    std::vector<uint32_t> rows_, starts_, histogram_, seen_;
    std::vector<int64_t> singles_{0};
};

}  // namespace forebear
