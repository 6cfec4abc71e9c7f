#include "scoring/gapfamilies.h"

#include <algorithm>

#include "common/index.h"

namespace forebear {

GapFamilies::GapFamilies(const NeighbourData& data, std::span<const uint64_t> keys)
    : data_(data), keys_(keys), available_(data.score), counts_(data.table) {}

uint64_t GapFamilies::key(std::span<const uint16_t> parents) const {
    uint64_t sum = 0;
    for (const uint16_t parent : parents) sum += keys_[parent];
    return sum;
}

std::optional<int64_t> GapFamilies::value(int child, std::span<const uint16_t> parents,
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
    counts_.prepare(members_);
    counts_.count(child, available_);
    const int64_t found = available_.value(static_cast<int>(parents.size()),
                                           [&](int u) { return smaller[index(u)]; });
    values.emplace(own, found);
    return found;
}

bool GapFamilies::by_bits(size_t candidates) const {
    const double masks = counts_.cells() * static_cast<double>(data_.items.words());
    if (data_.items.count() == 0 || 8 * masks > kMostMaskBytes) return false;
    return kPopcount * masks * data_.items.n_blocks() <
           kRow * static_cast<double>(counts_.rows().size()) * static_cast<double>(candidates);
}

void GapFamilies::mask_cells() {
    const size_t words = data_.items.words(), cells = index(static_cast<int64_t>(counts_.cells()));
    masks_.assign(cells * words, 0);
    for (size_t i = 0; i < counts_.rows().size(); ++i) {
        const uint32_t row = counts_.rows()[i];
        masks_[counts_.places()[i] * words + (row >> 6)] |= uint64_t{1} << (row & 63);
    }
    const size_t width = index(data_.items.n_blocks()) * kLanes;
    if (item_counts_.size() < cells) item_counts_.resize(cells);
    for (size_t first = 0; first < cells; first += kRowsAtOnce) {
        const size_t last = std::min(first + kRowsAtOnce, cells);
        vectors_.clear();
        out_.clear();
        for (size_t cell = first; cell < last; ++cell) {
            item_counts_[cell].assign(width, 0);
            vectors_.push_back(masks_.data() + cell * words);
            out_.push_back(item_counts_[cell].data());
        }
        kernels().count_rows(vectors_.data(), static_cast<int>(last - first), data_.items.blocks(),
                             words, 0, words, 0, data_.items.n_blocks(), out_.data());
    }
}

void GapFamilies::fill_by_bits(int u) {
    const size_t cells = index(static_cast<int64_t>(counts_.cells()));
    const int first = data_.items.first(u), states = data_.items.first(u + 1) - first;
    arities_.clear();
    for (const int v : members_) arities_.push_back(data_.table.arities[index(v)]);
    arities_.push_back(states);
    int32_t* out = available_.make_table(arities_).data();
    for (int s = 0; s < states; ++s)
        for (size_t cell = 0; cell < cells; ++cell) *out++ = item_counts_[cell][index(first + s)];
    available_.table_filled();
}

bool GapFamilies::score(int child, std::span<const uint16_t> parents,
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
    counts_.prepare(members_);
    const bool bits = by_bits(candidates.size());
    if (bits) mask_cells();
    for (size_t c = 0; c < candidates.size(); ++c) {
        if (budget.spent(bits ? 0 : counts_.rows().size())) return false;
        const int u = candidates[c];
        if (bits && data_.items.has(u)) fill_by_bits(u);
        else counts_.count(u, available_);
        // The places are those of the parents, of the child, and of u.
        scores[c] = available_.value(static_cast<int>(k), [&](int place) {
            return index(place) < k ? smaller_[c * k + index(place)] : *without;
        });
        values.emplace(key(parents) + keys_[index(u)], scores[c]);
    }
    return true;
}

}  // namespace forebear
