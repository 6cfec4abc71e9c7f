#include "scoring/items.h"

#include <bit>

#include "common/index.h"

namespace forebear {

Items::Items(const Codes& codes, std::span<const int> variables, std::span<const int32_t> arities)
    : words_((index(codes.rows) + 63) / 64) {
    int next = 0;
    for (const int32_t arity : arities) {
        first_.push_back(next);
        narrow_.push_back(arity <= kMostStates);
        if (narrow_.back()) next += arity - 1;
    }
    first_.push_back(next);
    columns_.assign(index(next) * words_, 0);
    for (size_t i = 0; i < variables.size(); ++i) {
        if (!narrow_[i]) continue;
        uint64_t* place = columns_.data() + index(first_[i]) * words_;
        codes.visit(variables[i], [&](const auto* column) {
            for (int64_t row = 0; row < codes.rows; ++row)
                if (column[row] > 0)
                    place[index(column[row] - 1) * words_ + index(row >> 6)] |= uint64_t{1}
                                                                                << (row & 63);
        });
    }
    blocks_.assign(index(n_blocks()) * kLanes * words_, 0);
    totals_.assign(index(n_blocks() + 1) * kLanes, 0);
    for (int item = 0; item < next; ++item) {
        uint64_t* block = blocks_.data() + index(item / kLanes) * kLanes * words_ + item % kLanes;
        for (size_t w = 0; w < words_; ++w) {
            block[w * kLanes] = column(item)[w];
            totals_[index(item)] += std::popcount(column(item)[w]);
        }
    }
}

}  // namespace forebear
