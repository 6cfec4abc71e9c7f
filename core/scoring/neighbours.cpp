#include "scoring/neighbours.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "common/index.h"

namespace forebear {

Neighbours::Neighbours(const NeighbourData& data)
    : data_(data), n_(data.table.n_variables()), words_(data.items.words()) {}

bool Neighbours::split(std::span<const uint16_t> parents, BudgetOfRows& budget) {
    const Codes& codes = data_.table.codes;
    rows_.resize(index(codes.rows));
    for (int64_t i = 0; i < codes.rows; ++i) rows_[index(i)] = static_cast<uint32_t>(i);
    starts_.assign({0, static_cast<uint32_t>(codes.rows)});
    singles_ = 0;
    for (const uint16_t parent : parents) {
        const int arity = data_.table.arities[parent];
        next_rows_.resize(rows_.size());
        next_starts_.assign(1, 0);
        histogram_.assign(index(arity) + 1, 0);
        codes.visit(parent, [&](const auto* column) {
            uint32_t place = 0;
            for (size_t g = 0; g + 1 < starts_.size(); ++g) {
                const uint32_t begin = starts_[g], end = starts_[g + 1];
                std::fill(histogram_.begin(), histogram_.end(), 0);
                for (uint32_t i = begin; i < end; ++i) ++histogram_[column[rows_[i]]];
                for (int state = 0; state < arity; ++state) {
                    const uint32_t size = histogram_[index(state)];
                    histogram_[index(state)] = place;
                    if (size == 1) {  // nothing splits a single row further
                        ++singles_;
                        histogram_[index(state)] = UINT32_MAX;
                    } else if (size > 0) {
                        place += size;
                        next_starts_.push_back(place);
                    }
                }
                for (uint32_t i = begin; i < end; ++i) {
                    uint32_t& to = histogram_[column[rows_[i]]];
                    if (to != UINT32_MAX) next_rows_[to++] = rows_[i];
                }
            }
            next_rows_.resize(place);
        });
        rows_.swap(next_rows_);
        starts_.swap(next_starts_);
        if (budget.spent(rows_.size())) return false;
    }
    return true;
}

bool Neighbours::by_bits(int child, size_t candidates) const {
    if (!data_.items.has(child)) return false;
    const auto masks = static_cast<int64_t>(starts_.size() - 1) * data_.table.arities[index(child)];
    if (masks * static_cast<int64_t>(words_) * 8 > kMostMaskBytes) return false;
    const double bits = kPopcount * static_cast<double>(masks) * static_cast<double>(words_) *
                        data_.items.n_blocks();
    return bits < kRow * static_cast<double>(rows_.size()) * static_cast<double>(candidates);
}

bool Neighbours::mask_groups(int child, BudgetOfRows& budget) {
    const int states = data_.table.arities[index(child)];
    const size_t groups = starts_.size() - 1;
    masks_.assign(groups * index(states) * words_, 0);
    mask_totals_.assign(groups * index(states), 0);
    data_.table.codes.visit(child, [&](const auto* column) {
        for (size_t g = 0; g < groups; ++g) {
            uint64_t* const whole = masks_.data() + g * index(states) * words_;
            for (uint32_t i = starts_[g]; i < starts_[g + 1]; ++i) {
                const uint32_t row = rows_[i];
                const uint64_t bit = uint64_t{1} << (row & 63);
                whole[row >> 6] |= bit;
                const auto state = index(column[row]);
                ++mask_totals_[g * index(states)];
                if (state > 0) {
                    whole[state * words_ + (row >> 6)] |= bit;
                    ++mask_totals_[g * index(states) + state];
                }
            }
        }
    });
    const size_t masks = groups * index(states);
    const size_t width = index(data_.items.n_blocks()) * kLanes;
    if (item_counts_.size() < masks) item_counts_.resize(masks);
    for (size_t first = 0; first < masks; first += kRowsAtOnce) {
        const size_t last = std::min(first + kRowsAtOnce, masks);
        vectors_.clear();
        out_.clear();
        for (size_t m = first; m < last; ++m) {
            item_counts_[m].assign(width, 0);
            vectors_.push_back(masks_.data() + m * words_);
            out_.push_back(item_counts_[m].data());
        }
        kernels().count_rows(vectors_.data(), static_cast<int>(last - first),
                             data_.items.blocks(), words_, 0, words_, 0,
                             data_.items.n_blocks(), out_.data());
        if (budget.spent(words_ * index(data_.items.n_blocks()))) return false;
    }
    return true;
}

void Neighbours::count_by_bits(int u, int child) {
    const int states = data_.table.arities[index(child)], own = data_.table.arities[index(u)];
    const size_t groups = starts_.size() - 1;
    const int item = data_.items.first(u);
    counts_.configurations = static_cast<int32_t>(groups);
    counts_.candidate_states = own;
    counts_.singles = singles_;
    counts_.cells.resize(groups * index(own * states));
    int32_t* out = counts_.cells.data();
    for (size_t g = 0; g < groups; ++g) {
        const size_t mask = g * index(states);
        for (int a = 0; a < own; ++a) {
            // The first state of u, and the first state of the child, follow by subtraction.
            const auto count = [&](size_t m) {
                const int32_t* const counts = item_counts_[m].data() + item;
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

void Neighbours::count_by_groups(int u, int child) {
    const int states = data_.table.arities[index(child)], own = data_.table.arities[index(u)];
    const size_t groups = starts_.size() - 1;
    counts_.configurations = static_cast<int32_t>(groups);
    counts_.candidate_states = own;
    counts_.singles = singles_;
    counts_.cells.assign(groups * index(own * states), 0);
    data_.table.codes.visit(u, [&](const auto* column) {
        for (size_t g = 0; g < groups; ++g) {
            int32_t* const out = counts_.cells.data() + g * index(own * states);
            for (uint32_t i = starts_[g]; i < starts_[g + 1]; ++i)
                ++out[column[rows_[i]] * states + child_codes_[i]];
        }
    });
}

int64_t Neighbours::total(const Term& cells, const Term& rows, int child_states) const {
    // A configuration of one row is one cell of one row.
    int64_t sum = counts_.singles * (cells(1) - rows(1));
    const int32_t* at = counts_.cells.data();
    const size_t sets = counts_.cells.size() / index(child_states);
    for (size_t s = 0; s < sets; ++s) {
        int32_t row = 0;
        for (int b = 0; b < child_states; ++b, ++at) {
            row += *at;
            sum += cells(*at);
        }
        sum -= rows(row);
    }
    return sum;
}

const Term& Neighbours::cells(double number) {
    const Term*& term = cells_[number];
    if (!term) {
        term = &data_.score.cells(number);
        visited_ += term->length();
    }
    return *term;
}

const Term& Neighbours::dirichlet(double number) {
    const Term*& term = dirichlets_[number];
    if (!term) {
        term = &data_.score.dirichlet(number);
        visited_ += term->length();
    }
    return *term;
}

int64_t Neighbours::sum(int child, double configurations, std::span<const int32_t> arities) {
    Score& score = data_.score;
    const int states = data_.table.arities[index(child)];
    switch (score.shape()) {
        case Shape::set_function: {
            const int64_t constant = score.constant(configurations * states);
            if (constant == kNeverKept) return kNeverKept;
            return total(cells(configurations * states), cells(configurations), states) +
                   constant - score.constant(configurations);
        }
        case Shape::by_arity:
            return total(cells(configurations * states), score.configurations(states), states) -
                   score.penalty(states, arities);
        case Shape::by_child: {
            // BDs (Scutari, 2016): the prior is spread over the configurations that occur.
            int64_t occupied = counts_.singles;
            for (size_t s = 0; s < counts_.cells.size(); s += index(states)) {
                const auto own = std::span(counts_.cells).subspan(s, index(states));
                occupied += std::any_of(own.begin(), own.end(), [](int32_t c) { return c > 0; });
            }
            const auto prior = static_cast<double>(occupied);
            return total(dirichlet(prior * states), dirichlet(prior), states);
        }
    }
    return kNeverKept;
}

bool Neighbours::score(int child, std::span<const uint16_t> parents,
                       std::span<const int32_t> candidates, int64_t* scores, BudgetOfRows& budget) {
    if (!split(parents, budget)) return false;
    const bool bits = by_bits(child, candidates.size());
    if (bits && !mask_groups(child, budget)) return false;
    bool gathered = false;
    double configurations = 1.0;
    arities_.clear();
    for (const uint16_t parent : parents) {
        configurations *= data_.table.arities[parent];
        arities_.push_back(data_.table.arities[parent]);
    }
    arities_.push_back(0);
    for (size_t i = 0; i < candidates.size(); ++i) {
        if (budget.spent(std::exchange(visited_, 0))) return false;
        const int u = candidates[i];
        if (bits && data_.items.has(u)) {
            count_by_bits(u, child);
            visited_ += counts_.cells.size();
        } else {
            if (!gathered) {
                child_codes_.resize(rows_.size());
                data_.table.codes.visit(child, [&](const auto* column) {
                    for (size_t k = 0; k < rows_.size(); ++k) child_codes_[k] = column[rows_[k]];
                });
                gathered = true;
            }
            count_by_groups(u, child);
            visited_ += rows_.size();
        }
        arities_.back() = data_.table.arities[index(u)];
        scores[i] = sum(child, configurations * arities_.back(), arities_);
    }
    return true;
}

int64_t Neighbours::score_set(int child, std::span<const uint16_t> parents) {
    BudgetOfRows no_limit;
    split(parents, no_limit);
    const int states = data_.table.arities[index(child)];
    counts_.singles = singles_;
    counts_.cells.assign((starts_.size() - 1) * index(states), 0);
    data_.table.codes.visit(child, [&](const auto* column) {
        for (size_t g = 0; g + 1 < starts_.size(); ++g)
            for (uint32_t i = starts_[g]; i < starts_[g + 1]; ++i)
                ++counts_.cells[g * index(states) + column[rows_[i]]];
    });
    double configurations = 1.0;
    arities_.clear();
    for (const uint16_t parent : parents) {
        configurations *= data_.table.arities[parent];
        arities_.push_back(data_.table.arities[parent]);
    }
    return sum(child, configurations, arities_);
}

}  // namespace forebear
