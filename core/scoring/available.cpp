#include "scoring/available.h"

#include <algorithm>
#include <cmath>

namespace forebear {

template <int Lanes>
void AvailableSums<Lanes>::reset(std::span<const int32_t> arities) {
    arities_.assign(arities.begin(), arities.end());
    const size_t m = arities_.size(), places = 1 + m + m * m;
    if (tables_.size() < places) tables_.resize(places);
    ready_.assign(places, 0);
    summed_.assign(places, 0);
    set_sums_.resize(places * Lanes);
}

template <int Lanes>
std::span<int32_t> AvailableSums<Lanes>::make_table(std::span<const int32_t> arities) {
    reset(arities);
    table_ = nullptr;
    tables_[0].resize(static_cast<size_t>(cells_without(-1, -1)) * Lanes);
    return tables_[0];
}

template <int Lanes>
void AvailableSums<Lanes>::table_filled() {
    ready_[0] = 1;
    std::fill(counts_, counts_ + Lanes, 0);
    for (size_t at = 0; at < tables_[0].size(); at += Lanes)
        for (size_t lane = 0; lane < Lanes; ++lane) counts_[lane] += tables_[0][at + lane];
    for (size_t lane = 0; lane < Lanes; ++lane)
        ratios_[lane] = static_cast<double>(score_.counts()) /
                        static_cast<double>(std::max<int64_t>(1, counts_[lane]));
}

template <int Lanes>
void AvailableSums<Lanes>::take_rows(const Table& table, std::span<const int> members,
                                     std::span<const uint32_t> rows)
    requires(Lanes == 1)
{
    std::vector<int32_t> arities;
    for (const int v : members) arities.push_back(table.arities[index(v)]);
    reset(arities);
    table_ = &table;
    members_ = members;
    rows_ = rows;
    count_groups(-1, -1, tables_[0]);
    table_filled();
}

// ---- margins -----------------------------------------------------------------------

template <int Lanes>
size_t AvailableSums<Lanes>::margin(int a, int b) {
    if (a > b) std::swap(a, b);
    const size_t m = arities_.size();
    const size_t place = b < 0 ? 0 : a < 0 ? 1 + index(b) : 1 + m + index(a) * m + index(b);
    if (ready_[place]) return place;
    if (table_) count_groups(a, b, tables_[place]);
    else if (a < 0) sum_out(tables_[0], b, tables_[place]);
    // The axes before b, including a, do not move when b is removed.
    else sum_out(tables_[margin(-1, b)], a, tables_[place]);
    ready_[place] = 1;
    return place;
}

template <int Lanes>
void AvailableSums<Lanes>::sum_out(const std::vector<int32_t>& from, int axis,
                                   std::vector<int32_t>& to) {
    size_t below = Lanes;
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

/// The cells that occur, without these variables.
template <int Lanes>
void AvailableSums<Lanes>::count_groups(int a, int b, std::vector<int32_t>& to) {
    partition_.reset(table_->codes, rows_);
    for (int i = 0; i < static_cast<int>(members_.size()); ++i) {
        if (i == a || i == b) continue;
        std::swap(partition_, coarse_);
        partition_.refine(coarse_, table_->codes, members_[index(i)], arities_[index(i)]);
    }
    to.clear();
    for (size_t k = 0; k < partition_.singles().size(); ++k)
        to.insert(to.end(), index(partition_.singles()[k]), int32_t{1} << k);
    for (size_t g = 0; g < partition_.groups(); ++g)
        to.push_back(partition_.group_total(g, table_->codes));
}

template <int Lanes>
double AvailableSums<Lanes>::cells_without(int a, int b) const {
    double cells = 1.0;
    for (int i = 0; i < static_cast<int>(arities_.size()); ++i)
        if (i != a && i != b) cells *= arities_[index(i)];
    return cells;
}

// ---- sums ----------------------------------------------------------------------------

template <int Lanes>
void AvailableSums<Lanes>::add_up(const Term& term, const std::vector<int32_t>& cells,
                                  int64_t* sums) const {
    int64_t total[Lanes] = {};
    if (static_cast<int64_t>(term.length()) > score_.counts()) {
        const int64_t* const table = term.table();
        for (size_t at = 0; at < cells.size(); at += Lanes)
            for (size_t lane = 0; lane < Lanes; ++lane) total[lane] += table[cells[at + lane]];
    } else {
        for (size_t at = 0; at < cells.size(); at += Lanes)
            for (size_t lane = 0; lane < Lanes; ++lane) total[lane] += term(cells[at + lane]);
    }
    std::copy(total, total + Lanes, sums);
}

/// F of the set without these variables, which is also G for set functions.
template <int Lanes>
const int64_t* AvailableSums<Lanes>::set_sums(int a, int b) {
    const size_t place = margin(a, b);
    int64_t* const sums = set_sums_.data() + place * Lanes;
    if (summed_[place]) return sums;
    const double cells = cells_without(a, b);
    int64_t totals[Score::kMostSizes][Lanes], own[Score::kMostSizes];
    for (size_t size = 0; size < score_.sizes(); ++size)
        add_up(*terms_.of_cells(cells, size).term, tables_[place], totals[size]);
    const int64_t constant = terms_.of_cells(cells).constant;
    for (size_t lane = 0; lane < Lanes; ++lane) {
        for (size_t size = 0; size < score_.sizes(); ++size) own[size] = totals[size][lane];
        sums[lane] = score_.mean(own, constant, counts_[lane]);
    }
    summed_[place] = 1;
    return sums;
}

/// The scores of the child with all others, or all but one, as parents; kNeverKept or less where
/// the penalty exceeds any gain.
template <int Lanes>
void AvailableSums<Lanes>::score(int child, int without, int64_t* scores) {
    const int32_t states = arities_[index(child)];
    if (shape_ == Shape::by_child) {
        // BDs (Scutari, 2016): the prior is spread over the configurations that occur.
        const std::vector<int32_t>& family = tables_[margin(-1, without)];
        const std::vector<int32_t>& configurations = tables_[margin(child, without)];
        for (size_t lane = 0; lane < Lanes; ++lane) {
            double prior = 0.0;
            for (size_t at = lane; at < configurations.size(); at += Lanes)
                prior += configurations[at] > 0;
            scores[lane] = 0;
            if (prior == 0.0) continue;  // no row
            const Term &f = terms_.dirichlet(prior * states), &g = terms_.dirichlet(prior);
            for (size_t at = lane; at < family.size(); at += Lanes) scores[lane] += f(family[at]);
            for (size_t at = lane; at < configurations.size(); at += Lanes)
                scores[lane] -= g(configurations[at]);
        }
        return;
    }
    const int64_t* const f = set_sums(-1, without);
    int64_t g[Lanes];
    if (shape_ == Shape::set_function) {
        std::copy_n(set_sums(child, without), Lanes, g);
    } else {
        add_up(terms_.configurations(states), tables_[margin(child, without)], g);
        parents_.clear();
        for (int i = 0; i < static_cast<int>(arities_.size()); ++i)
            if (i != child && i != without) parents_.push_back(arities_[index(i)]);
        const int64_t penalty = score_.penalty(states, parents_);
        for (int64_t& lane : g) lane += penalty;
    }
    for (size_t lane = 0; lane < Lanes; ++lane)
        scores[lane] = f[lane] == kNeverKept ? kNeverKept : f[lane] - g[lane];
}

// ---- values --------------------------------------------------------------------------

template <int Lanes>
int64_t AvailableSums<Lanes>::scaled(int64_t sum, size_t lane) const {
    if (counts_[lane] == score_.counts()) return sum;
    const double value = static_cast<double>(sum) * ratios_[lane];
    constexpr auto limit = -static_cast<double>(kNeverKept);
    if (!(std::abs(value) < limit)) return value < 0 ? kNeverKept : -kNeverKept;
    return static_cast<int64_t>(value + (value < 0.0 ? -0.5 : 0.5));
}

template <int Lanes>
void AvailableSums<Lanes>::find_alone(int64_t* values) {
    score(0, -1, values);
    // A column without a value adds nothing; MIT is relative to the empty set.
    for (size_t lane = 0; lane < Lanes; ++lane)
        values[lane] = counts_[lane] == 0 || score_.relative_to_empty()
                           ? 0
                           : scaled(values[lane], lane);
}

/// Finds the values that depend on no others. Returns whether some are left; these are INT64_MAX.
template <int Lanes>
bool AvailableSums<Lanes>::begin(int child, int64_t* values) {
    score(child, -1, whole_);
    const int64_t prior = score_.prior(arities_.size() - 1);
    bool left = false;
    for (size_t lane = 0; lane < Lanes; ++lane) {
        values[lane] = counts_[lane] == 0  ? kNeverKept
                       : is_complete(lane) ? whole_[lane] + prior
                                           : INT64_MAX;
        left |= values[lane] == INT64_MAX;
    }
    return left;
}

/// Lowers the values to those without a parent plus the gain of that parent, if that is less. The
/// prior is that of the whole set.
template <int Lanes>
void AvailableSums<Lanes>::lower(int child, int parent, Values before, int64_t* values) {
    int64_t without[Lanes];
    score(child, parent, without);
    const size_t parents = arities_.size() - 1;
    const int64_t prior = score_.prior(parents) - score_.prior(parents - 1);
    for (size_t lane = 0; lane < Lanes; ++lane) {
        if (counts_[lane] == 0 || is_complete(lane)) continue;
        const int64_t smaller = before.first[lane * before.step];
        const bool never =
            whole_[lane] <= kNeverKept || without[lane] <= kNeverKept || smaller <= kNeverKept;
        const int64_t gain = never ? kNeverKept : scaled(whole_[lane] - without[lane], lane);
        const int64_t value = gain <= kNeverKept ? kNeverKept : smaller + gain + prior;
        values[lane] = std::min(values[lane], value);
    }
}

template <int Lanes>
int64_t AvailableSums<Lanes>::bytes() const {
    size_t total = 8 * set_sums_.capacity();
    for (const auto& table : tables_) total += 4 * table.capacity();
    return static_cast<int64_t>(total) + partition_.bytes() + coarse_.bytes() + terms_.bytes();
}

template class AvailableSums<1>;
template class AvailableSums<kLanes>;

// ---- rows -----------------------------------------------------------------------------

namespace {

// Most cells of a table that is counted densely. With more, clearing it and summing its margins
// take longer than grouping some thousand rows.
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
    table_.codes.visit_counted(variable, [&](const auto* column, auto count) {
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
            if (code < states) counts[places_[i] + stride * code] += count(rows_[i]);
        }
        sums.table_filled();
    });
}

int64_t ObservedRows::bytes() const {
    return static_cast<int64_t>(
        4 * (rows_.capacity() + places_.capacity() + common_.capacity()));
}

}  // namespace forebear
