#include "scoring/items.h"

#include <algorithm>
#include <bit>

#include "common/index.h"

namespace forebear {

Items::Items(const Table& table, std::span<const int> variables, Team& team)
    : words_((index(table.codes.rows) + 63) / 64) {
    const Codes& codes = table.codes;
    const int implied = table.gaps ? 0 : 1;  // states without an item
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

}  // namespace forebear
