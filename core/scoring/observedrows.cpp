#include "scoring/observedrows.h"

#include <algorithm>

#include "common/random.h"

namespace forebear {

namespace {

// Cells of a table that is counted as a whole. Beyond, clearing and adding up its margins takes
// longer than sorting some thousand rows.
constexpr double kMostCells = 1 << 16;

/// A random word for a state of a variable.
uint64_t word_of(int variable, uint32_t state) {
    return mixed((index(variable) << 32 | state) + 1);
}

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
    arities_.push_back(0);
}

bool ObservedRows::is_dense(int variable) const {
    return cells_ * table_.arities[index(variable)] <= kMostCells;
}

void ObservedRows::count(int variable, AvailableSums<1>& sums) {
    arities_.back() = table_.arities[index(variable)];
    if (is_dense(variable)) count_table(variable, sums);
    else count_cells(variable, sums);
}

void ObservedRows::count_table(int variable, AvailableSums<1>& sums) {
    const std::span<int32_t> counts = sums.make_table(arities_);
    const auto states = static_cast<uint32_t>(arities_.back());
    const auto stride = static_cast<uint32_t>(cells_);
    std::fill(counts.begin(), counts.end(), 0);
    table_.codes.visit(variable, [&](const auto* column) {
        for (size_t i = 0; i < rows_.size(); ++i) {
            const uint32_t code = column[rows_[i]];
            if (code >= states) continue;
            ++counts[places_[i] + stride * code];
        }
    });
    sums.table_filled();
}

void ObservedRows::count_cells(int variable, AvailableSums<1>& sums) {
    keyed_.clear();
    const auto word = [&](int v, uint32_t row) {
        return table_.codes.visit(v, [&](const auto* column) { return word_of(v, column[row]); });
    };
    const auto states = static_cast<uint32_t>(arities_.back());
    table_.codes.visit(variable, [&](const auto* column) {
        for (size_t i = 0; i < rows_.size(); ++i) {
            const uint32_t row = rows_[i], code = column[row];
            if (code >= states) continue;
            uint64_t key = word_of(variable, code);
            for (const int v : members_) key += word(v, row);
            keyed_.emplace_back(key, static_cast<uint32_t>(i));
        }
    });
    std::sort(keyed_.begin(), keyed_.end());
    counts_.clear();
    words_.resize(members_.size() + 1);
    for (auto& words : words_) words.clear();
    for (size_t k = 0; k < keyed_.size(); ++k) {
        const auto [key, i] = keyed_[k];
        if (k == 0 || key != keyed_[k - 1].first) {
            counts_.push_back(0);
            for (size_t j = 0; j < members_.size(); ++j)
                words_[j].push_back(word(members_[j], rows_[i]));
            words_.back().push_back(word(variable, rows_[i]));
        }
        ++counts_.back();
    }
    sums.take_cells(arities_, counts_, words_);
}

int64_t ObservedRows::bytes() const {
    return static_cast<int64_t>(4 * (rows_.capacity() + places_.capacity() + counts_.capacity()) +
                                16 * keyed_.capacity());
}

}  // namespace forebear
