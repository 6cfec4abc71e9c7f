#include "scoring/table.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

#include "scoring/distinctrows.h"

namespace forebear {

namespace {

constexpr size_t kWordsAtOnce = 512;  // of a block of columns: 32 KB, which stays in the cache

}  // namespace

Items::Items(const Table& table, std::span<const int> variables, Team& team)
    : words_((index(std::max<int64_t>(table.codes.rows, 1)) + 63) / 64) {
    for (const int64_t end : table.ends) word_ends_.push_back((index(end) + 63) / 64);
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
            for (size_t w = 0; w < words_; ++w)
                block[w * kLanes + index(item % kLanes)] = column(item)[w];
    });
    const std::vector<uint64_t> all(words_, ~uint64_t{0});
    const uint64_t* const vector = all.data();
    int32_t* const out = totals_.data();
    count(&vector, 1, 0, &out);
}

void Items::count(const uint64_t* const* vectors, size_t n_vectors, int first_block,
                  int32_t* const* out) const {
    const int first = first_block * kLanes, last = n_blocks() * kLanes;
    for (size_t t = 0; t < n_vectors; ++t) std::fill(out[t] + first, out[t] + last, 0);
    size_t begin = 0;
    for (size_t k = word_ends_.size(); k-- > 0;) {  // rows that count more often come first
        for (; begin < word_ends_[k]; begin = std::min(word_ends_[k], begin + kWordsAtOnce))
            kernels().count_rows(vectors, static_cast<int>(n_vectors), blocks_.data(), words_, begin,
                                 std::min(word_ends_[k], begin + kWordsAtOnce), first_block,
                                 n_blocks(), out);
        if (k > 0)
            for (size_t t = 0; t < n_vectors; ++t)
                for (int i = first; i < last; ++i) out[t][i] *= 2;
    }
}

bool MaskCounts::pay(const Items& items, double masks, size_t rows, size_t candidates) {
    // Estimated nanoseconds for AVX-512: a popcount of one word of a mask with eight columns, and
    // the counting of one row. They only determine which of two methods is used.
    constexpr double kPopcount = 0.25, kRow = 1.2;
    // More masks would not fit in the cache.
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
    const size_t words = items_.words();
    for (size_t first = 0; first < size_; first += kRowsAtOnce) {
        const size_t many = std::min(kRowsAtOnce, size_ - first);
        const uint64_t* vectors[kRowsAtOnce];
        int32_t* out[kRowsAtOnce];
        for (size_t i = 0; i < many; ++i) {
            counts_[first + i].resize(index(items_.n_blocks()) * kLanes);
            vectors[i] = masks_.data() + (first + i) * words;
            out[i] = counts_[first + i].data();
        }
        items_.count(vectors, many, 0, out);
        if (budget.spent(words * index(items_.n_blocks()))) return false;
    }
    return true;
}

std::vector<double> entropies(const Table& table, int64_t copies, Team& team) {
    std::vector<double> result(index(table.n_variables()));
    for_each_item(team, table.n_variables(), [&](int v) {
        std::vector<int64_t> counts(index(table.arities[index(v)]) + 1);
        table.codes.visit_counted(v, [&](const auto* column, auto count) {
            for (uint32_t row = 0; row < table.codes.rows; ++row) counts[column[row]] += count(row);
        });
        const auto observed = static_cast<double>(table.total - counts.back());
        counts.pop_back();
        double entropy = 0.0;
        for (const int64_t count : counts)
            if (count > 0)
                entropy -=
                    static_cast<double>(count) * std::log(static_cast<double>(count) / observed);
        const double rows = static_cast<double>(table.total) / static_cast<double>(copies);
        result[index(v)] = observed > 0.0 ? entropy * (rows / observed) : 0.0;
    });
    return result;
}

PackedTable::PackedTable(Table table, std::span<const int64_t> weights, int64_t copies, Team& team)
    : table_(std::move(table)), copies_(copies) {
    table_.total = weights.empty() ? table_.codes.rows
                                   : std::accumulate(weights.begin(), weights.end(), int64_t{0});
    table_.ends.assign(1, table_.codes.rows);
    if (const auto merged = merge_rows(table_, weights, team)) store(*merged, team);
    else if (!weights.empty()) store(repeat_rows(weights), team);
    entropies_ = forebear::entropies(table_, copies, team);
}

void PackedTable::store(const StoredRows& stored, Team& team) {
    if (table_.codes.narrow)
        table_.codes.narrow = store_codes(table_.codes.narrow, stored.rows, narrow_, team);
    else table_.codes.wide = store_codes(table_.codes.wide, stored.rows, wide_, team);
    table_.codes.rows = static_cast<int64_t>(stored.rows.size());
    table_.ends = stored.ends;
    if (stored.ends.size() == 1) return;
    shifts_.resize(stored.rows.size());
    int64_t begin = 0;
    for (size_t k = stored.ends.size(); k-- > 0; begin = stored.ends[k])
        std::fill(shifts_.begin() + begin, shifts_.begin() + stored.ends[k],
                  static_cast<uint8_t>(k));
    table_.codes.shifts = shifts_.data();
}

template <class Code>
const Code* PackedTable::store_codes(const Code* from, std::span<const uint32_t> rows,
                                     std::vector<Code>& to, Team& team) const {
    to.resize(index(table_.n_variables()) * rows.size());
    for_each_item(team, table_.n_variables(), [&](int v) {
        const Code* const column = from + v * table_.codes.rows;
        Code* const place = to.data() + index(v) * rows.size();
        for (size_t i = 0; i < rows.size(); ++i) place[i] = column[rows[i]];
    });
    return to.data();
}

void PackedTable::use_for(std::span<const int> children,
                          std::shared_ptr<const PackedTable> other) {
    others_.push_back(std::move(other));
    places_.resize(index(table_.n_variables()));
    for (const int child : children) places_[index(child)] = others_.size();
}

const Items& PackedTable::items(Team& team) const {
    const std::lock_guard lock(mutex_);
    if (!items_) {
        std::vector<int> everything(index(table_.n_variables()));
        std::iota(everything.begin(), everything.end(), 0);
        items_ = std::make_unique<const Items>(table_, everything, team);
    }
    return *items_;
}

const LogGammas& PackedTable::log_gammas() const {
    const std::lock_guard lock(mutex_);
    if (!log_gammas_) log_gammas_ = std::make_unique<const LogGammas>(table_.total, copies_);
    return *log_gammas_;
}

}  // namespace forebear
