// Greedy search over orders by swaps of neighbours, with a tabu list
// (OBS: Teyssier and Koller, 2005).
//
// Swapping the variables at places i and i + 1 changes the choices of these two
// only, and leaves what every other swap is worth unchanged, but for the two
// swaps that share a place with it. So all but three values stay cached.
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

    /// Begins a climb.
    void start(std::span<const int32_t> order);
    /// Makes up to so many swaps. Returns whether the climb has ended.
    bool climb(int steps);

    const OrderSets& sets() const { return *sets_; }
    /// The best order of this climb.
    std::span<const int32_t> best_order() const { return best_order_; }
    int64_t best_score() const { return best_score_; }

private:
    struct Swap {  // the sets that the two variables would take, and what that changes
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
