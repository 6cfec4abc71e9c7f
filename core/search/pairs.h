// A number for each pair of variables, most of which are equal.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "common/index.h"

namespace forebear {

/// Up to this many variables (36 MB), pairs are stored as a square matrix; beyond, as sparse rows.
constexpr int kSquareVariables = 3000;

/// A number for each pair, `usual` unless set. Both representations list the entries of a row in
/// the same order.
class Pairs {
public:
    struct Entry {
        int32_t column;
        int32_t value;
    };

    Pairs(int n, int32_t usual, int largest_square = kSquareVariables)
        : n_(n),
          usual_(usual),
          square_(n <= largest_square ? index(n) * index(n) : 0, usual),
          rows_(square_.empty() ? index(n) : 0) {}

    bool is_square() const { return rows_.empty(); }
    int32_t get(int row, int column) const {
        if (is_square()) return square_[at(row, column)];
        const auto& entries = rows_[index(row)];
        const auto found = lower(entries, column);
        return found != entries.end() && found->column == column ? found->value : usual_;
    }
    void set(int row, int column, int32_t value) {
        if (is_square()) {
            square_[at(row, column)] = value;
            return;
        }
        auto& entries = rows_[index(row)];
        const auto found = lower(entries, column);
        const bool there = found != entries.end() && found->column == column;
        if (value == usual_) {
            if (there) entries.erase(found);
        } else if (there) {
            entries[index(found - entries.begin())].value = value;
        } else {
            entries.insert(found, {column, value});
        }
    }
    /// Sets everything to the usual number.
    void clear() {
        std::fill(square_.begin(), square_.end(), usual_);
        for (auto& entries : rows_) entries.clear();
    }
    /// A row of the square matrix.
    const int32_t* row(int v) const { return square_.data() + at(v, 0); }
    /// The entries of a sparse row that are not usual, by column.
    const std::vector<Entry>& entries(int v) const { return rows_[index(v)]; }
    int64_t bytes() const {
        int64_t total = static_cast<int64_t>(square_.size() * sizeof(int32_t) +
                                             rows_.size() * sizeof(std::vector<Entry>));
        for (const auto& entries : rows_)
            total += static_cast<int64_t>(entries.capacity() * sizeof(Entry));
        return total;
    }

private:
    using Entries = std::vector<Entry>;
    static Entries::const_iterator lower(const Entries& entries, int column) {
        return std::lower_bound(
            entries.begin(), entries.end(), column,
            [](const Entry& entry, int target) { return entry.column < target; });
    }
    size_t at(int row, int column) const { return index(row) * index(n_) + index(column); }

    int n_;
    int32_t usual_;
    std::vector<int32_t> square_;
    std::vector<Entries> rows_;
};

}  // namespace forebear
