#include "scoring/neighbors.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "common/index.h"

namespace forebear {

std::vector<NeighborData> neighbor_data(const PackedTable& packed, const FamilyScores& scores,
                                        Team& team) {
    std::vector<NeighborData> data;
    for (size_t place = 0; place < packed.n_tables(); ++place)
        data.push_back({packed.at(place).table(), scores.at(place), packed.at(place).items(team)});
    return data;
}

Neighbors::Neighbors(const NeighborData& data) : data_(data), masks_(data.items), terms_(data.score) {}

bool Neighbors::split(std::span<const uint16_t> parents, BudgetOfRows& budget) {
    const Codes& codes = data_.table.codes;
    partition_.reset(codes);
    for (const uint16_t parent : parents) {
        std::swap(partition_, coarse_);
        partition_.refine(coarse_, codes, parent, data_.table.arities[parent]);
        if (budget.spent(partition_.rows().size())) return false;
    }
    return true;
}

bool Neighbors::mask_groups(int child, BudgetOfRows& budget) {
    const auto states = index(data_.table.arities[index(child)]);
    const size_t masks = partition_.groups() * states;
    masks_.reset(masks);
    mask_totals_.assign(masks, 0);
    data_.table.codes.visit_counted(child, [&](const auto* column, auto count) {
        for (size_t g = 0; g < partition_.groups(); ++g)
            for (uint32_t i = partition_.starts()[g]; i < partition_.starts()[g + 1]; ++i) {
                const uint32_t row = partition_.rows()[i];
                const auto state = index(column[row]);
                const auto times = static_cast<int32_t>(count(row));
                masks_.add(g * states, row);
                mask_totals_[g * states] += times;
                if (state == 0) continue;
                masks_.add(g * states + state, row);
                mask_totals_[g * states + state] += times;
            }
    });
    return masks_.count(budget);
}

void Neighbors::count_by_bits(int u, int child) {
    const int states = data_.table.arities[index(child)], own = data_.table.arities[index(u)];
    const int item = data_.items.first(u);
    counts_.resize(partition_.groups() * index(own * states));
    int32_t* out = counts_.data();
    for (size_t g = 0; g < partition_.groups(); ++g) {
        const size_t mask = g * index(states);
        for (int a = 0; a < own; ++a) {
            // The first state of u, and the first state of the child, follow by subtraction.
            const auto count = [&](size_t m) {
                const int32_t* const counts = masks_[m] + item;
                if (a > 0) return counts[a - 1];
                int32_t rest = mask_totals_[m];
                for (int other = 1; other < own; ++other) rest -= counts[other - 1];
                return rest;
            };
            int32_t rest = count(mask);
            for (int b = 1; b < states; ++b) {
                out[b] = count(mask + index(b));
                rest -= out[b];
            }
            out[0] = rest;
            out += states;
        }
    }
}

void Neighbors::gather_codes(int child) {
    child_codes_.resize(partition_.rows().size());
    data_.table.codes.visit(child, [&](const auto* column) {
        for (size_t i = 0; i < child_codes_.size(); ++i)
            child_codes_[i] = column[partition_.rows()[i]];
    });
}

void Neighbors::count_by_groups(int u, int child) {
    const int states = data_.table.arities[index(child)], own = data_.table.arities[index(u)];
    counts_.assign(partition_.groups() * index(own * states), 0);
    data_.table.codes.visit_counted(u, [&](const auto* column, auto count) {
        for (size_t g = 0; g < partition_.groups(); ++g) {
            int32_t* const out = counts_.data() + g * index(own * states);
            for (uint32_t i = partition_.starts()[g]; i < partition_.starts()[g + 1]; ++i) {
                const uint32_t row = partition_.rows()[i];
                out[column[row] * states + child_codes_[i]] += static_cast<int32_t>(count(row));
            }
        }
    });
}

Neighbors::Totals Neighbors::totals(const Term& cells, const Term& rows, int child_states) const {
    // A configuration of one row is one cell, with the count of that row.
    Totals sum{0, 0};
    for (size_t k = 0; k < partition_.singles().size(); ++k) {
        sum.cells += partition_.singles()[k] * cells(1 << k);
        sum.rows += partition_.singles()[k] * rows(1 << k);
    }
    const int32_t* at = counts_.data();
    const size_t sets = counts_.size() / index(child_states);
    for (size_t s = 0; s < sets; ++s) {
        int32_t row = 0;
        for (int b = 0; b < child_states; ++b, ++at) {
            row += *at;
            sum.cells += cells(*at);
        }
        sum.rows += rows(row);
    }
    return sum;
}

int64_t Neighbors::sum(int child, double configurations, std::span<const int32_t> arities) {
    const int states = data_.table.arities[index(child)];
    const int64_t log_prior = data_.score.prior(arities.size());
    switch (data_.score.shape()) {
        case Shape::set_function: {
            int64_t f_sums[Score::kMostSizes], g_sums[Score::kMostSizes];
            TermCache::Sum f, g;
            for (size_t size = 0; size < data_.score.sizes(); ++size) {
                f = terms_.of_cells(configurations * states, size);
                g = terms_.of_cells(configurations, size);
                if (f.constant == kNeverKept) return kNeverKept;
                const Totals found = totals(*f.term, *g.term, states);
                f_sums[size] = found.cells;
                g_sums[size] = found.rows;
            }
            const int64_t counts = data_.score.counts();
            return data_.score.mean(f_sums, f.constant, counts) -
                   data_.score.mean(g_sums, g.constant, counts) + log_prior;
        }
        case Shape::by_arity:
            return total(*terms_.of_cells(configurations * states).term,
                         terms_.configurations(states), states) -
                   data_.score.penalty(states, arities) + log_prior;
        case Shape::by_child: {
            // BDs (Scutari, 2016): the prior is spread over the configurations that occur.
            int64_t occupied = partition_.n_singles();
            for (size_t s = 0; s < counts_.size(); s += index(states)) {
                const auto own = std::span(counts_).subspan(s, index(states));
                occupied += std::any_of(own.begin(), own.end(), [](int32_t c) { return c > 0; });
            }
            const auto prior = static_cast<double>(occupied);
            return total(terms_.dirichlet(prior * states), terms_.dirichlet(prior), states) +
                   log_prior;
        }
    }
    return kNeverKept;
}

bool Neighbors::score(int child, std::span<const uint16_t> parents,
                       std::span<const int32_t> candidates, int64_t* scores, BudgetOfRows& budget) {
    if (!split(parents, budget)) return false;
    const double masks =
        static_cast<double>(partition_.groups()) * data_.table.arities[index(child)];
    const bool bits =
        data_.items.has(child) &&
        MaskCounts::pay(data_.items, masks, partition_.rows().size(), candidates.size());
    if (bits && !mask_groups(child, budget)) return false;
    bool gathered = false;
    const double configurations = set_parents(parents);
    arities_.push_back(0);
    for (size_t i = 0; i < candidates.size(); ++i) {
        if (budget.spent(std::exchange(visited_, 0))) return false;
        const int u = candidates[i];
        if (bits && data_.items.has(u)) {
            count_by_bits(u, child);
            visited_ += counts_.size();
        } else {
            if (!std::exchange(gathered, true)) gather_codes(child);
            count_by_groups(u, child);
            visited_ += partition_.rows().size();
        }
        arities_.back() = data_.table.arities[index(u)];
        scores[i] = sum(child, configurations * arities_.back(), arities_);
        visited_ += terms_.take_filled();
    }
    return true;
}

int64_t Neighbors::score_set(int child, std::span<const uint16_t> parents) {
    BudgetOfRows no_limit;
    split(parents, no_limit);
    return score_own(child, parents);
}

int64_t Neighbors::score_split(int child, const Partition& split,
                                std::span<const uint16_t> parents) {
    partition_ = split;
    return score_own(child, parents);
}

/// Scores child | parents, by which the rows are split.
int64_t Neighbors::score_own(int child, std::span<const uint16_t> parents) {
    const size_t states = index(data_.table.arities[index(child)]);
    counts_.assign(partition_.groups() * states, 0);
    data_.table.codes.visit_counted(child, [&](const auto* column, auto count) {
        for (size_t g = 0; g < partition_.groups(); ++g)
            for (const uint32_t row : partition_.group(g))
                counts_[g * states + column[row]] += static_cast<int32_t>(count(row));
    });
    const double configurations = set_parents(parents);
    return sum(child, configurations, arities_);
}

/// Stores the arities of the parents, and returns the number of their configurations.
double Neighbors::set_parents(std::span<const uint16_t> parents) {
    double configurations = 1.0;
    arities_.clear();
    for (const uint16_t parent : parents) {
        configurations *= data_.table.arities[parent];
        arities_.push_back(data_.table.arities[parent]);
    }
    return configurations;
}

// ---- missing values ---------------------------------------------------------------

AvailableNeighbors::AvailableNeighbors(const NeighborData& data, std::span<const uint64_t> keys)
    : data_(data), keys_(keys), available_(data.score), observed_(data.table), masks_(data.items) {}

uint64_t AvailableNeighbors::key(std::span<const uint16_t> parents) const {
    uint64_t sum = 0;
    for (const uint16_t parent : parents) sum += keys_[parent];
    return sum;
}

std::optional<int64_t> AvailableNeighbors::value(int child, std::span<const uint16_t> parents,
                                          Values& values, BudgetOfRows& budget) {
    const uint64_t own = key(parents);
    if (const auto found = values.find(own); found != values.end()) return found->second;
    std::vector<int64_t> smaller;
    std::vector<uint16_t> fewer;
    for (size_t i = 0; i < parents.size(); ++i) {
        fewer.assign(parents.begin(), parents.end());
        fewer.erase(fewer.begin() + static_cast<ptrdiff_t>(i));
        const std::optional<int64_t> found = value(child, fewer, values, budget);
        if (!found) return std::nullopt;
        smaller.push_back(*found);
    }
    if (budget.spent(index(data_.table.codes.rows))) return std::nullopt;
    members_.assign(parents.begin(), parents.end());
    observed_.prepare(members_);
    observed_.count(child, available_);
    int64_t found;
    available_.find_values(
        static_cast<int>(parents.size()), [&](int u) { return AvailableSums<1>::Values{&smaller[index(u)]}; },
        &found);
    values.emplace(own, found);
    return found;
}

bool AvailableNeighbors::mask_cells(BudgetOfRows& budget) {
    masks_.reset(static_cast<size_t>(observed_.cells()));
    for (size_t i = 0; i < observed_.rows().size(); ++i)
        masks_.add(observed_.places()[i], observed_.rows()[i]);
    return masks_.count(budget);
}

void AvailableNeighbors::fill_by_bits(int u) {
    const auto cells = static_cast<size_t>(observed_.cells());
    const int first = data_.items.first(u), states = data_.items.first(u + 1) - first;
    arities_.clear();
    for (const int v : members_) arities_.push_back(data_.table.arities[index(v)]);
    arities_.push_back(states);
    int32_t* out = available_.make_table(arities_).data();
    for (int s = 0; s < states; ++s)
        for (size_t cell = 0; cell < cells; ++cell) *out++ = masks_[cell][first + s];
    available_.table_filled();
}

bool AvailableNeighbors::score(int child, std::span<const uint16_t> parents,
                        std::span<const int32_t> candidates, Values& values, int64_t* scores,
                        BudgetOfRows& budget) {
    const size_t k = parents.size();
    smaller_.clear();
    const std::optional<int64_t> without = value(child, parents, values, budget);
    if (!without) return false;
    std::vector<uint16_t> others;
    for (const int32_t u : candidates) {
        for (size_t i = 0; i < k; ++i) {
            others.assign(parents.begin(), parents.end());
            others[i] = static_cast<uint16_t>(u);
            const std::optional<int64_t> found = value(child, others, values, budget);
            if (!found) return false;
            smaller_.push_back(*found);
        }
    }
    members_.assign(parents.begin(), parents.end());
    members_.push_back(child);
    observed_.prepare(members_);
    const bool bits = MaskCounts::pay(data_.items, observed_.cells(), observed_.rows().size(),
                                      candidates.size());
    if (bits && !mask_cells(budget)) return false;
    for (size_t c = 0; c < candidates.size(); ++c) {
        if (budget.spent(bits ? 0 : observed_.rows().size())) return false;
        const int u = candidates[c];
        if (bits && data_.items.has(u)) fill_by_bits(u);
        else observed_.count(u, available_);
        // The places are those of the parents, of the child, and of u.
        available_.find_values(
            static_cast<int>(k),
            [&](int place) {
                return AvailableSums<1>::Values{index(place) < k ? &smaller_[c * k + index(place)] : &*without};
            },
            scores + c);
        values.emplace(key(parents) + keys_[index(u)], scores[c]);
    }
    return true;
}

}  // namespace forebear
