// Counts of contingency tables by groups of rows that agree on all variables so far.
//
// This is the faster way for tables with more cells than rows. A row alone in its group is dropped
// from the groups and only counted, since nothing can split it further.
#pragma once

#include <cstdint>
#include <vector>

#include "common/index.h"

namespace forebear {

/// The codes of all variables, one column after another, of one or two bytes each.
struct Codes {
    const uint8_t* narrow = nullptr;
    const uint16_t* wide = nullptr;
    int64_t rows = 0;

    template <class Visit>
    decltype(auto) visit(int variable, Visit&& visitor) const {
        const int64_t start = variable * rows;
        return narrow ? visitor(narrow + start) : visitor(wide + start);
    }
};

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
    void reset(int64_t rows) {
        rows_.resize(index(rows));
        for (int64_t i = 0; i < rows; ++i) rows_[index(i)] = static_cast<uint32_t>(i);
        starts_.assign(1, 0);
        singles_ = 0;
        if (rows == 1) {
            rows_.clear();
            singles_ = 1;
        } else {
            starts_.push_back(static_cast<uint32_t>(rows));
        }
    }

    /// Splits the groups of `coarse` by one more variable.
    void refine(const Partition& coarse, const Codes& codes, int variable, int arity) {
        rows_.clear();
        starts_.assign(1, 0);
        singles_ = coarse.singles_;
        histogram_.assign(index(arity), 0);
        codes.visit(variable, [&](const auto* column) {
            for (size_t g = 0; g + 1 < coarse.starts_.size(); ++g)
                split(coarse, column, coarse.starts_[g], coarse.starts_[g + 1]);
        });
    }

    /// Counts the cells of these groups split by one more variable.
    void count(const Codes& codes, int variable, int arity, CellCounts& cells) {
        cells.clear();
        cells.ones = singles_;
        histogram_.assign(index(arity), 0);
        codes.visit(variable, [&](const auto* column) {
            for (size_t g = 0; g + 1 < starts_.size(); ++g)
                count_group(column, starts_[g], starts_[g + 1], cells);
        });
    }

    int64_t bytes() const {
        return static_cast<int64_t>(
            4 * (rows_.capacity() + starts_.capacity() + histogram_.capacity() + seen_.capacity()));
    }

private:
    template <class Code>
    void split(const Partition& coarse, const Code* column, uint32_t begin, uint32_t end) {
        seen_.clear();
        for (uint32_t i = begin; i < end; ++i) {
            const auto code = column[coarse.rows_[i]];
            if (histogram_[code]++ == 0) seen_.push_back(code);
        }
        // The count of each state becomes the place for its rows; single rows have none.
        uint32_t place = static_cast<uint32_t>(rows_.size());
        for (const uint32_t code : seen_) {
            const uint32_t size = histogram_[code];
            if (size == 1) {
                ++singles_;
                histogram_[code] = kNowhere;
            } else {
                histogram_[code] = place;
                place += size;
                starts_.push_back(place);
            }
        }
        rows_.resize(place);
        for (uint32_t i = begin; i < end; ++i) {
            uint32_t& to = histogram_[column[coarse.rows_[i]]];
            if (to != kNowhere) rows_[to++] = coarse.rows_[i];
        }
        for (const uint32_t code : seen_) histogram_[code] = 0;
    }

    template <class Code>
    void count_group(const Code* column, uint32_t begin, uint32_t end, CellCounts& cells) {
        for (uint32_t i = begin; i < end; ++i) ++histogram_[column[rows_[i]]];
        const auto collect = [&](uint32_t& count) {
            if (count == 1) ++cells.ones;
            else if (count > 1) cells.counts.push_back(static_cast<int32_t>(count));
            count = 0;
        };
        if (end - begin < histogram_.size()) {
            for (uint32_t i = begin; i < end; ++i) collect(histogram_[column[rows_[i]]]);
        } else {
            for (uint32_t& count : histogram_) collect(count);
        }
    }

    static constexpr uint32_t kNowhere = UINT32_MAX;
    std::vector<uint32_t> rows_;    // in groups of two or more, group by group
    std::vector<uint32_t> starts_;  // the start of each group, and the end of the last
    std::vector<uint32_t> histogram_, seen_;
    int64_t singles_ = 0;
};

}  // namespace forebear
