#include "scoring/availableneighbours.h"

#include <algorithm>

#include "common/index.h"

namespace forebear {

namespace {

using Before = AvailableSums<1>::Values;

}  // namespace

AvailableNeighbours::AvailableNeighbours(const NeighbourData& data, std::span<const uint64_t> keys)
    : data_(data), keys_(keys), available_(data.score), observed_(data.table), masks_(data.items) {}

uint64_t AvailableNeighbours::key(std::span<const uint16_t> parents) const {
    uint64_t sum = 0;
    for (const uint16_t parent : parents) sum += keys_[parent];
    return sum;
}

std::optional<int64_t> AvailableNeighbours::value(int child, std::span<const uint16_t> parents,
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
        static_cast<int>(parents.size()), [&](int u) { return Before{&smaller[index(u)]}; },
        &found);
    values.emplace(own, found);
    return found;
}

bool AvailableNeighbours::mask_cells(BudgetOfRows& budget) {
    masks_.reset(static_cast<size_t>(observed_.cells()));
    for (size_t i = 0; i < observed_.rows().size(); ++i)
        masks_.add(observed_.places()[i], observed_.rows()[i]);
    return masks_.count(budget);
}

void AvailableNeighbours::fill_by_bits(int u) {
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

bool AvailableNeighbours::score(int child, std::span<const uint16_t> parents,
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
                return Before{index(place) < k ? &smaller_[c * k + index(place)] : &*without};
            },
            scores + c);
        values.emplace(key(parents) + keys_[index(u)], scores[c]);
    }
    return true;
}

}  // namespace forebear
