#include "scoring/observedrows.h"

#include <algorithm>

namespace forebear {

namespace {

// Cells of a table that is counted as a whole. Beyond, clearing and adding up its margins takes
// longer than grouping some thousand rows.
constexpr double kMostCells = 1 << 16;

}  // namespace

void ObservedRows::prepare(std::span<const int> members) {
    const Codes& codes = table_.codes;
    members_.assign(members.begin(), members.end());
    arities_.clear();
    cells_ = 1.0;
    rows_.resize(index(codes.rows));
    for (size_t row = 0; row < rows_.size(); ++row) rows_[row] = static_cast<uint32_t>(row);
    places_.assign(rows_.size(), 0);
    for (const int v : members) {
        const auto arity = static_cast<uint32_t>(table_.arities[index(v)]);
        const bool few = cells_ * arity <= kMostCells;
        const auto stride = static_cast<uint32_t>(few ? cells_ : 0.0);
        codes.visit(v, [&](const auto* column) {
            size_t kept = 0;
            for (size_t i = 0; i < rows_.size(); ++i) {
                const uint32_t row = rows_[i], code = column[row];
                if (code >= arity) continue;
                rows_[kept] = row;
                places_[kept++] = places_[i] + stride * code;
            }
            rows_.resize(kept);
        });
        cells_ *= arity;
        arities_.push_back(static_cast<int32_t>(arity));
    }
    members_.push_back(0);
    arities_.push_back(0);
}

void ObservedRows::count(int variable, AvailableSums<1>& sums) {
    members_.back() = variable;
    arities_.back() = table_.arities[index(variable)];
    const auto states = static_cast<uint32_t>(arities_.back());
    table_.codes.visit(variable, [&](const auto* column) {
        if (cells_ * states > kMostCells) {
            common_.clear();
            for (const uint32_t row : rows_)
                if (column[row] < states) common_.push_back(row);
            sums.take_rows(table_, members_, common_);
            return;
        }
        const std::span<int32_t> counts = sums.make_table(arities_);
        const auto stride = static_cast<uint32_t>(cells_);
        std::fill(counts.begin(), counts.end(), 0);
        for (size_t i = 0; i < rows_.size(); ++i) {
            const uint32_t code = column[rows_[i]];
            if (code < states) ++counts[places_[i] + stride * code];
        }
        sums.table_filled();
    });
}

int64_t ObservedRows::bytes() const {
    return static_cast<int64_t>(
        4 * (rows_.capacity() + places_.capacity() + common_.capacity()));
}

}  // namespace forebear
