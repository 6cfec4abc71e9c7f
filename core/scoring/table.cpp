#include "scoring/table.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

namespace forebear {

Items::Items(const Table& table, std::span<const int> variables, Team& team)
    : words_((index(table.codes.rows) + 63) / 64) {
    const Codes& codes = table.codes;
    const int implied = table.missing ? 0 : 1;  // states without an item
    int next = 0;
    for (const int v : variables) {
        const int32_t arity = table.arities[index(v)];
        first_.push_back(next);
        narrow_.push_back(arity <= kMostStates);
        if (narrow_.back()) next += arity - implied;
    }
    first_.push_back(next);
    columns_.assign(index(next) * words_, 0);
    for_each_item(team, static_cast<int>(variables.size()), [&](int i) {
        if (!has(i)) return;
        uint64_t* place = columns_.data() + index(first(i)) * words_;
        const int states = table.arities[index(variables[index(i)])];
        codes.visit(variables[index(i)], [&](const auto* column) {
            for (int64_t row = 0; row < codes.rows; ++row)
                if (column[row] >= implied && column[row] < states)
                    place[index(column[row] - implied) * words_ + index(row >> 6)] |= uint64_t{1}
                                                                                      << (row & 63);
        });
    });
    blocks_.assign(index(n_blocks()) * kLanes * words_, 0);
    totals_.assign(index(n_blocks() + 1) * kLanes, 0);
    for_each_item(team, n_blocks(), [&](int number) {
        uint64_t* const block = blocks_.data() + index(number) * kLanes * words_;
        for (int item = number * kLanes; item < std::min(next, (number + 1) * kLanes); ++item)
            for (size_t w = 0; w < words_; ++w) {
                block[w * kLanes + index(item % kLanes)] = column(item)[w];
                totals_[index(item)] += std::popcount(column(item)[w]);
            }
    });
}

bool MaskCounts::pay(const Items& items, double masks, size_t rows, size_t candidates) {
    // Nanoseconds, estimated for AVX-512: a popcount of one word of a mask with eight columns, and
    // the counting of one row. They only decide which of two ways is used.
    constexpr double kPopcount = 0.25, kRow = 1.2;
    // More masks would leave the cache.
    constexpr double kMostBytes = 8 << 20;
    const double words = masks * static_cast<double>(items.words());
    return items.count() > 0 && 8 * words <= kMostBytes &&
           kPopcount * words * items.n_blocks() <
               kRow * static_cast<double>(rows) * static_cast<double>(candidates);
}

void MaskCounts::reset(size_t masks) {
    size_ = masks;
    masks_.assign(masks * items_.words(), 0);
    if (counts_.size() < masks) counts_.resize(masks);
}

bool MaskCounts::count(BudgetOfRows& budget) {
    const size_t words = items_.words(), width = index(items_.n_blocks()) * kLanes;
    for (size_t first = 0; first < size_; first += kRowsAtOnce) {
        const size_t many = std::min(kRowsAtOnce, size_ - first);
        const uint64_t* vectors[kRowsAtOnce];
        int32_t* out[kRowsAtOnce];
        for (size_t i = 0; i < many; ++i) {
            counts_[first + i].assign(width, 0);
            vectors[i] = masks_.data() + (first + i) * words;
            out[i] = counts_[first + i].data();
        }
        kernels().count_rows(vectors, static_cast<int>(many), items_.blocks(), words, 0, words, 0,
                             items_.n_blocks(), out);
        if (budget.spent(words * index(items_.n_blocks()))) return false;
    }
    return true;
}

std::vector<double> entropies(const Table& table, int64_t copies, Team& team) {
    std::vector<double> result(index(table.n_variables()));
    for_each_item(team, table.n_variables(), [&](int v) {
        std::vector<int64_t> counts(index(table.arities[index(v)]) + 1);
        table.codes.visit(v, [&](const auto* column) {
            for (int64_t row = 0; row < table.codes.rows; ++row) ++counts[column[row]];
        });
        const auto observed = static_cast<double>(table.codes.rows - counts.back());
        counts.pop_back();
        double entropy = 0.0;
        for (const int64_t count : counts)
            if (count > 0)
                entropy -=
                    static_cast<double>(count) * std::log(static_cast<double>(count) / observed);
        const double rows = static_cast<double>(table.codes.rows) / static_cast<double>(copies);
        result[index(v)] = observed > 0.0 ? entropy * (rows / observed) : 0.0;
    });
    return result;
}

PackedTable::PackedTable(Table table, int64_t copies, Team& team)
    : table_(std::move(table)),
      copies_(copies),
      entropies_(forebear::entropies(table_, copies, team)) {}

const Items& PackedTable::items(Team& team) const {
    const std::lock_guard lock(mutex_);
    if (!items_) {
        std::vector<int> everything(index(table_.n_variables()));
        std::iota(everything.begin(), everything.end(), 0);
        items_ = std::make_unique<const Items>(table_, everything, team);
    }
    return *items_;
}

}  // namespace forebear
