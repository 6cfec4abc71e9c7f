#include "scoring/available.h"

#include <algorithm>
#include <cmath>

namespace forebear {

namespace {

constexpr double kFewCells = 4096;  // with at most this many cells, terms are found by their index

}  // namespace

void AvailableSums::reset(std::span<const int32_t> arities) {
    arities_.assign(arities.begin(), arities.end());
    const size_t m = arities_.size(), places = 1 + m + m * m;
    if (tables_.size() < places) tables_.resize(places);
    ready_.assign(places, 0);
    summed_.assign(places, 0);
    set_sums_.resize(places);
}

std::span<int32_t> AvailableSums::make_table(std::span<const int32_t> arities) {
    reset(arities);
    dense_ = true;
    size_t cells = 1;
    for (const int32_t arity : arities) cells *= index(arity);
    tables_[0].resize(cells);
    return tables_[0];
}

void AvailableSums::table_filled() {
    ready_[0] = 1;
    count_ = 0;
    for (const int32_t count : tables_[0]) count_ += count;
}

void AvailableSums::take_cells(std::span<const int32_t> arities, std::vector<int32_t>& counts,
                               std::vector<std::vector<uint64_t>>& words) {
    reset(arities);
    dense_ = false;
    tables_[0].swap(counts);
    words_.swap(words);
    keys_.assign(tables_[0].size(), 0);
    for (size_t i = 0; i < arities_.size(); ++i)
        for (size_t cell = 0; cell < keys_.size(); ++cell) keys_[cell] += words_[i][cell];
    table_filled();
}

size_t AvailableSums::margin(int a, int b) {
    if (a > b) std::swap(a, b);
    const size_t m = arities_.size();
    const size_t place = b < 0 ? 0 : a < 0 ? 1 + index(b) : 1 + m + index(a) * m + index(b);
    if (!ready_[place]) make_margin(place, a, b);
    return place;
}

void AvailableSums::make_margin(size_t place, int a, int b) {
    if (!dense_) {
        join_cells(a, b, tables_[place]);
    } else if (a < 0) {
        sum_out(tables_[0], b, tables_[place]);
    } else {
        // Without b the axes before it, a among them, are where they were.
        const size_t without_b = margin(-1, b);
        sum_out(tables_[without_b], a, tables_[place]);
    }
    ready_[place] = 1;
}

void AvailableSums::sum_out(const std::vector<int32_t>& from, int axis, std::vector<int32_t>& to) {
    size_t below = 1;
    for (int i = 0; i < axis; ++i) below *= index(arities_[index(i)]);
    const size_t states = index(arities_[index(axis)]), block = below * states;
    to.resize(from.size() / states);
    int32_t* out = to.data();
    for (size_t start = 0; start < from.size(); start += block, out += below) {
        const int32_t* in = from.data() + start;
        for (size_t i = 0; i < below; ++i) out[i] = in[i];
        for (size_t s = 1; s < states; ++s) {
            in += below;
            for (size_t i = 0; i < below; ++i) out[i] += in[i];
        }
    }
}

void AvailableSums::join_cells(int a, int b, std::vector<int32_t>& to) {
    joined_.clear();
    for (size_t cell = 0; cell < keys_.size(); ++cell) {
        uint64_t key = keys_[cell];
        if (a >= 0) key -= words_[index(a)][cell];
        if (b >= 0) key -= words_[index(b)][cell];
        joined_.emplace_back(key, tables_[0][cell]);
    }
    std::sort(joined_.begin(), joined_.end());
    to.clear();
    for (size_t i = 0; i < joined_.size(); ++i) {
        if (i == 0 || joined_[i].first != joined_[i - 1].first) to.push_back(0);
        to.back() += joined_[i].second;
    }
}

double AvailableSums::cells_without(int a, int b) const {
    double cells = 1.0;
    for (int i = 0; i < static_cast<int>(arities_.size()); ++i)
        if (i != a && i != b) cells *= arities_[index(i)];
    return cells;
}

int64_t AvailableSums::total(const Term& term, size_t place) const {
    int64_t sum = 0;
    for (const int32_t count : tables_[place]) sum += term(count);
    return sum;
}

int64_t AvailableSums::occupied(size_t place) const {
    return std::count_if(tables_[place].begin(), tables_[place].end(),
                         [](int32_t count) { return count > 0; });
}

const AvailableSums::Sums& AvailableSums::sums(double cells) {
    if (cells >= kFewCells) {
        Sums& found = many_cells_[cells];
        if (!found.term) found = {&score_.cells(cells), score_.constant(cells)};
        return found;
    }
    const auto place = static_cast<size_t>(cells);
    if (few_cells_.size() <= place) few_cells_.resize(place + 1);
    if (!few_cells_[place].term) few_cells_[place] = {&score_.cells(cells), score_.constant(cells)};
    return few_cells_[place];
}

const Term& AvailableSums::dirichlet(double cells) {
    const Term*& term = dirichlets_[cells];
    if (!term) term = &score_.dirichlet(cells);
    return *term;
}

int64_t AvailableSums::set_sum(int a, int b) {
    const size_t place = margin(a, b);
    if (!summed_[place]) {
        const Sums& s = sums(cells_without(a, b));
        set_sums_[place] =
            s.constant == kNeverKept ? kNeverKept : total(*s.term, place) + s.constant;
        summed_[place] = 1;
    }
    return set_sums_[place];
}

int64_t AvailableSums::own(int child, int without) {
    const int32_t states = arities_[index(child)];
    switch (shape_) {
        case Shape::set_function: {
            const int64_t family = set_sum(-1, without);
            return family == kNeverKept ? kNeverKept : family - set_sum(child, without);
        }
        case Shape::by_arity: {
            parents_.clear();
            for (int i = 0; i < static_cast<int>(arities_.size()); ++i)
                if (i != child && i != without) parents_.push_back(arities_[index(i)]);
            const size_t family = margin(-1, without), configurations = margin(child, without);
            return total(score_.cells(0.0), family) -
                   total(score_.configurations(states), configurations) -
                   score_.penalty(states, parents_);
        }
        case Shape::by_child: {
            // BDs (Scutari, 2016): the prior is spread over the configurations that occur.
            const size_t family = margin(-1, without), configurations = margin(child, without);
            const auto prior = static_cast<double>(occupied(configurations));
            return total(dirichlet(prior * states), family) -
                   total(dirichlet(prior), configurations);
        }
    }
    return kNeverKept;
}

int64_t AvailableSums::scaled(int64_t sum) const {
    if (count_ == score_.counts()) return sum;
    const double ratio = static_cast<double>(score_.counts()) / static_cast<double>(count_);
    const double value = static_cast<double>(sum) * ratio;
    constexpr auto limit = -static_cast<double>(kNeverKept);
    if (!(std::abs(value) < limit)) return value < 0 ? kNeverKept : -kNeverKept;
    return static_cast<int64_t>(value + (value < 0.0 ? -0.5 : 0.5));
}

int64_t AvailableSums::alone() {
    // A column without a value adds nothing; MIT is relative to the empty set.
    if (count_ == 0 || score_.relative_to_empty()) return 0;
    return scaled(own(0, -1));
}

int64_t AvailableSums::gain(int child, int parent) {
    const int64_t with = own(child, -1), without = own(child, parent);
    if (with <= kNeverKept || without <= kNeverKept) return kNeverKept;
    return scaled(with - without);
}

int64_t AvailableSums::bytes() const {
    size_t total = 0;
    for (const auto& table : tables_) total += 4 * table.capacity();
    for (const auto& words : words_) total += 8 * words.capacity();
    return static_cast<int64_t>(total + 16 * few_cells_.capacity() + 8 * keys_.capacity() +
                                16 * joined_.capacity());
}

}  // namespace forebear
