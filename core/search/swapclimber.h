// OBS (Teyssier and Koller, 2005): greedy search over orders by swaps of adjacent variables, with a
// tabu list.
//
// A swap of the variables at places i and i + 1 changes only the best sets of these two. The deltas
// of other swaps stay the same, except for the two swaps that share a place with it. Therefore only
// three deltas are computed again.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "common/index.h"
#include "search/ordersets.h"
#include "search/tabulist.h"

namespace forebear {

class SwapClimber {
public:
    /// A climb ends after `patience` moves without a new best, once no swap improves.
    SwapClimber(std::shared_ptr<const OrderSets> sets, int tabu_length, int patience);

    /// Starts a climb from an order.
    void start(std::span<const int32_t> order);
    /// Makes at most `steps` swaps. Returns whether the climb has ended.
    bool climb(int steps);

    const OrderSets& sets() const { return *sets_; }
    /// The best order of this climb.
    std::span<const int32_t> best_order() const { return best_order_; }
    int64_t best_score() const { return best_score_; }

private:
    struct Swap {  // the ranks of the two variables after the swap, and the change of the score
        int32_t first, second;
        int64_t delta;
    };

    void evaluate(int place);
    void swap(int place);
    int best_swap() const;

    std::shared_ptr<const OrderSets> sets_;
    int n_, patience_;
    std::vector<int32_t> order_, place_, rank_, best_order_;
    int64_t score_ = 0, best_score_ = 0;
    int idle_ = 0;
    std::vector<Swap> swaps_;  // by the first place
    TabuList tabu_;
    std::vector<uint8_t> flags_;
};

}  // namespace forebear
