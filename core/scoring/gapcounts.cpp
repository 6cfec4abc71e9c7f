#include "scoring/gapcounts.h"

#include <algorithm>
#include <cmath>

namespace forebear {

namespace {

// Cells of a table that is counted as a whole. Beyond, clearing and adding up its margins takes
// longer than sorting some thousand rows.
constexpr double kMostCells = 1 << 16;

// Weights are cut at 1/16 and 16, so that no single row counts for many.
constexpr int kMostLog = 4 * Table::kLogUnit;
constexpr int kWeightBits = 12;  // a weight of 1 is 2^12
constexpr int kSquareBits = 8;   // of a weight that is squared: 2^31 squares fit in 64 bits

/// 2^(log / kLogUnit) in fixed point, by a table for the fraction.
uint64_t weight_of(int32_t log) {
    static const std::vector<uint64_t> powers = [] {
        std::vector<uint64_t> result;
        for (int i = 0; i < Table::kLogUnit; ++i)
            result.push_back(static_cast<uint64_t>(std::llround(
                std::ldexp(std::exp2(static_cast<double>(i) / Table::kLogUnit), kWeightBits))));
        return result;
    }();
    const int32_t cut = std::clamp(log, -kMostLog, kMostLog) + kMostLog;
    return powers[index(cut % Table::kLogUnit)] << (cut / Table::kLogUnit) >>
           (kMostLog / Table::kLogUnit);
}

/// splitmix64 (Steele, Lea and Flood, 2014): a random word for a state of a variable.
uint64_t word_of(int variable, uint32_t state) {
    uint64_t z = (index(variable) << 32 | state) + 1;
    z *= 0x9e3779b97f4a7c15;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
}

}  // namespace

void GapCounts::prepare(std::span<const int> members) {
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
    if (!table_.weights) return;
    weights_.assign(rows_.size(), 0);
    for (const int v : members) {
        const int16_t* const own = table_.weights + v * codes.rows;
        for (size_t i = 0; i < rows_.size(); ++i) weights_[i] += own[rows_[i]];
    }
}

void GapCounts::weigh(size_t i, int variable, int64_t& cell) {
    const int64_t place = variable * table_.codes.rows + rows_[i];
    const uint64_t own = weight_of(weights_[i] + table_.weights[place]);
    const uint64_t shorter = own >> (kWeightBits - kSquareBits);
    cell += static_cast<int64_t>(own);
    weight_sum_ += static_cast<int64_t>(own);
    ++n_weighed_;
    square_sum_ += shorter * shorter;
}

bool GapCounts::is_dense(int variable) const {
    return cells_ * table_.arities[index(variable)] <= kMostCells;
}

void GapCounts::count(int variable, AvailableSums& sums) {
    arities_.back() = table_.arities[index(variable)];
    weight_sum_ = 0;
    n_weighed_ = 0;
    square_sum_ = 0;
    if (is_dense(variable)) count_table(variable, sums);
    else count_cells(variable, sums);
}

template <class Out>
void GapCounts::to_units(std::span<const int64_t> weights, Out out) const {
    // Kish (1965): the sum of the weights, squared, by the sum of their squares.
    const double sum = static_cast<double>(weight_sum_);
    const double squares =
        std::ldexp(static_cast<double>(square_sum_), 2 * (kWeightBits - kSquareBits));
    const auto most = static_cast<double>(n_weighed_);  // the squares are rounded
    const double rows = squares > 0.0 ? std::min(sum * sum / squares, most) : 0.0;
    const double factor = sum > 0.0 ? rows * static_cast<double>(unit_) / sum : 0.0;
    for (size_t i = 0; i < weights.size(); ++i)
        out[i] = static_cast<int32_t>(std::llround(static_cast<double>(weights[i]) * factor));
}

void GapCounts::count_table(int variable, AvailableSums& sums) {
    const std::span<int32_t> counts = sums.make_table(arities_);
    const auto states = static_cast<uint32_t>(arities_.back());
    const auto stride = static_cast<uint32_t>(cells_);
    if (table_.weights) weighed_.assign(counts.size(), 0);
    else std::fill(counts.begin(), counts.end(), 0);
    table_.codes.visit(variable, [&](const auto* column) {
        for (size_t i = 0; i < rows_.size(); ++i) {
            const uint32_t code = column[rows_[i]];
            if (code >= states) continue;
            const size_t place = places_[i] + stride * code;
            if (table_.weights) weigh(i, variable, weighed_[place]);
            else ++counts[place];
        }
    });
    if (table_.weights) to_units(weighed_, counts.begin());
    sums.table_filled();
}

void GapCounts::count_cells(int variable, AvailableSums& sums) {
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
    weighed_.clear();
    words_.resize(members_.size() + 1);
    for (auto& words : words_) words.clear();
    for (size_t k = 0; k < keyed_.size(); ++k) {
        const auto [key, i] = keyed_[k];
        if (k == 0 || key != keyed_[k - 1].first) {
            weighed_.push_back(0);
            for (size_t j = 0; j < members_.size(); ++j)
                words_[j].push_back(word(members_[j], rows_[i]));
            words_.back().push_back(word(variable, rows_[i]));
        }
        if (table_.weights) weigh(i, variable, weighed_.back());
        else ++weighed_.back();
    }
    counts_.resize(weighed_.size());
    if (table_.weights) to_units(weighed_, counts_.begin());
    else std::copy(weighed_.begin(), weighed_.end(), counts_.begin());
    sums.take_cells(arities_, counts_, words_);
}

int64_t GapCounts::bytes() const {
    return static_cast<int64_t>(4 * (rows_.capacity() + places_.capacity()) +
                                4 * weights_.capacity() + 8 * weighed_.capacity() +
                                16 * keyed_.capacity());
}

}  // namespace forebear
