// One number for each pair of variables: most of them the same, the more so the more variables.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "common/index.h"

namespace forebear {

/// Up to so many variables, numbers of pairs lie in a square; beyond, only those that are not
/// usual.
constexpr int kSquareVariables = 3000;

/// A number for each pair, `usual` unless set. Both ways of keeping them give them in the same
/// order.
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
    /// Makes everything usual again.
    void clear() {
        std::fill(square_.begin(), square_.end(), usual_);
        for (auto& entries : rows_) entries.clear();
    }
    /// A row of the square, one number a column.
    const int32_t* row(int v) const { return square_.data() + at(v, 0); }
    /// What is not usual in a row, by column; not of a square.
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
            [](const Entry& entry, int wanted) { return entry.column < wanted; });
    }
    size_t at(int row, int column) const { return index(row) * index(n_) + index(column); }

    int n_;
    int32_t usual_;
    std::vector<int32_t> square_;
    std::vector<Entries> rows_;
};

}  // namespace forebear
