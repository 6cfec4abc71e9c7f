// Ranked parent sets as a sampler reads them, with exp(score) of every set.
#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include "common/index.h"
#include "common/parentsets.h"
#include "search/ordersets.h"

namespace forebear {

class WeightedSets : public OrderSets {
public:
    /// The arrays must outlive this.
    explicit WeightedSets(const ParentSetsView<uint16_t>& all)
        : OrderSets(all, kSquareVariables, 1, {}), offsets_(all.offsets.begin(), all.offsets.end()) {
        for (int v = 0; v < n(); ++v) {
            int possible = size(v);
            while (possible > 0 && !std::isfinite(score(v, possible - 1))) --possible;
            possible_.push_back(possible);
        }
    }

    /// The sets of v with a finite score, also those that rank below the empty set.
    int possible(int v) const { return possible_[index(v)]; }
    int64_t place(int v, int rank) const { return offsets_[index(v)] + rank; }
    int64_t total() const { return offsets_.back(); }

private:
    std::vector<int64_t> offsets_;
    std::vector<int> possible_;
};

/// The weights exp(beta * score) of all sets, for one inverse temperature. Sets whose scores are far
/// apart do not fit one scale: exp(-800) is 0. So a list is cut into blocks, and weights are relative
/// to the first score of their block.
struct Weights {
    /// A block ends where a weight would be below exp(-kBlockNats): far from the smallest double.
    static constexpr double kBlockNats = 300.0;
    struct Block {
        int begin;
        double base;  ///< log weight of the first set
    };

    double beta;
    std::vector<double> values;              ///< by place in the collection
    std::vector<std::vector<Block>> blocks;  ///< by variable

    Weights(const WeightedSets& sets, double given_beta)
        : beta(given_beta), values(index(sets.total())), blocks(index(sets.n())) {
        for (int v = 0; v < sets.n(); ++v) {
            auto& own = blocks[index(v)];
            for (int r = 0; r < sets.possible(v); ++r) {
                const double log_weight = beta * sets.score(v, r);
                if (own.empty() || log_weight < own.back().base - kBlockNats)
                    own.push_back({r, log_weight});
                values[index(sets.place(v, r))] = std::exp(log_weight - own.back().base);
            }
        }
    }
};

}  // namespace forebear
