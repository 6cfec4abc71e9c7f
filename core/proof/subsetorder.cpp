#include "proof/subsetorder.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <limits>
#include <memory>

#include "common/clones.h"
#include "common/index.h"
#include "common/lattice.h"

namespace forebear {

namespace {

// Costs are negative values here, so that the best is the largest.
constexpr double kNoOrder = -std::numeric_limits<double>::infinity();

/// The variable of a table comes last, after the sets of the values `before`.
FOREBEAR_CLONES void high_comes_last(double* best, const double* before, const double* table,
                                     size_t size) {
    for (size_t s = 0; s < size; ++s) {
        const double value = before[s] + table[s];
        best[s] = value > best[s] ? value : best[s];
    }
}

}  // namespace

/// The sets of one variable, grouped by their members among the high variables.
class SubsetOrder::Grouped {
public:
    Grouped(const MaskedCosts& sets, int low) {
        std::vector<size_t> places(sets.masks.size());
        for (size_t i = 0; i < places.size(); ++i) places[i] = i;
        std::sort(places.begin(), places.end(),
                  [&](size_t a, size_t b) { return sets.masks[a] < sets.masks[b]; });
        const uint32_t low_mask = (uint32_t{1} << low) - 1;
        for (size_t i : places) {
            const uint32_t high = sets.masks[i] >> low;
            if (groups_.empty() || groups_.back().high != high) groups_.push_back({high, low_.size()});
            low_.push_back(sets.masks[i] & low_mask);
            values_.push_back(-sets.costs[i]);
        }
        groups_.push_back({0, low_.size()});
    }
    /// For every subset of the low variables: the best value with parents in it or in `high`.
    void fill(uint32_t high, int low, double* table) const {
        const size_t size = size_t{1} << low;
        std::fill(table, table + size, kNoOrder);
        for (size_t g = 0; g + 1 < groups_.size(); ++g) {
            if (groups_[g].high & ~high) continue;
            for (size_t i = groups_[g].begin; i < groups_[g + 1].begin; ++i)
                table[low_[i]] = std::max(table[low_[i]], values_[i]);
        }
        raise_to_subsets(table, low);
    }

private:
    struct Group {
        uint32_t high;
        size_t begin;
    };
    std::vector<Group> groups_;
    std::vector<uint32_t> low_;
    std::vector<double> values_;
};

SubsetOrder::SubsetOrder(std::vector<MaskedCosts> variables, int low)
    : n_(static_cast<int>(variables.size())),
      low_(std::min(n_, low)),
      variables_(std::move(variables)),
      layers_(index(n_ - low_) + 1),
      // Not initialized: every block is filled before it is read.
      best_(std::make_unique_for_overwrite<double[]>(size_t{1} << n_)) {
    for (const MaskedCosts& own : variables_) grouped_.emplace_back(own, low_);
    for (uint32_t block = 0; block < uint32_t{1} << (n_ - low_); ++block)
        layers_[index(std::popcount(block))].push_back(block);
}

SubsetOrder::~SubsetOrder() = default;

bool SubsetOrder::advance(const Budget& budget, Team& team) {
    const size_t tables = (index(low_) + 1) << low_;
    while (layer_ < layers_.size()) {
        const auto& blocks = layers_[layer_];
        std::atomic<size_t> next{position_};
        team.run(
            static_cast<int>(std::min<size_t>(blocks.size() - position_, 1024)),
            [&](int) {
                std::vector<double> scratch(tables);
                do {
                    const size_t i = next.fetch_add(1);
                    if (i >= blocks.size()) break;
                    fill_block(blocks[i], scratch);
                } while (!budget.spent());
            },
            [&] { next = blocks.size(); });
        position_ = std::min(next.load(), blocks.size());
        if (position_ < blocks.size()) return false;
        ++layer_;
        position_ = 0;
        if (budget.spent()) return layer_ == layers_.size();
    }
    return true;
}

BestOrder SubsetOrder::order() const {
    size_t left = (size_t{1} << n_) - 1;
    BestOrder found{0.0 - best_[left], {}};
    if (best_[left] == kNoOrder) return found;
    while (left) {
        int last = 0;
        for (; last < n_; ++last) {
            const size_t before = left ^ size_t{1} << last;
            if (left >> last & 1 && best_[before] > kNoOrder &&
                best_[before] + most(last, before) == best_[left])
                break;
        }
        found.order.push_back(last);
        left ^= size_t{1} << last;
    }
    std::reverse(found.order.begin(), found.order.end());
    return found;
}

double SubsetOrder::most(int v, size_t members) const {
    const MaskedCosts& own = variables_[index(v)];
    double value = kNoOrder;
    for (size_t i = 0; i < own.masks.size(); ++i)
        if (!(own.masks[i] & ~members)) value = std::max(value, -own.costs[i]);
    return value;
}

void SubsetOrder::fill_block(uint32_t block, std::vector<double>& tables) {
    const size_t size = size_t{1} << low_;
    double* const best = best_.get() + (size_t{block} << low_);
    std::fill(best, best + size, kNoOrder);
    if (block == 0) best[0] = 0.0;
    double* const scratch = tables.data() + (index(low_) << low_);
    for (int v = low_; v < n_; ++v) {  // a high variable comes last
        const uint32_t bit = uint32_t{1} << (v - low_);
        if (!(block & bit)) continue;
        grouped_[index(v)].fill(block ^ bit, low_, scratch);
        const double* const before = best_.get() + (size_t{block ^ bit} << low_);
        high_comes_last(best, before, scratch, size);
    }
    for (int v = 0; v < low_; ++v)
        grouped_[index(v)].fill(block, low_, tables.data() + (index(v) << low_));
    raise_by_last(tables.data(), low_, best);
}

uint64_t bytes_of_best_order(int n, int threads) {
    const auto low = static_cast<unsigned>(std::min(n, SubsetOrder::kLowBits));
    const uint64_t tables = uint64_t{low + 1} << low;
    return 8 * ((uint64_t{1} << n) + static_cast<uint64_t>(threads) * tables) +
           (uint64_t{4} << (static_cast<unsigned>(n) - low));
}

}  // namespace forebear
