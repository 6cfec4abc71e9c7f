// Exact probabilities of parent sets: a sum over all networks, by dynamic programming over sets of
// variables (Tian and He, 2009), and its derivatives.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "common/budget.h"
#include "common/parentsets.h"

namespace forebear {

/// The time is proportional to 3^n, the memory to n 2^n.
constexpr int kMostExactVariables = 20;

struct ExactSums {
    double log_total = 0.0;             ///< log of the sum of exp(score) over all networks
    std::vector<double> probabilities;  ///< by place in the collection
    bool finished = false;              ///< false if the budget was spent
};

/// `scale` has a log weight per variable by which its sets are divided. With those of a good
/// network, the numbers are sums of few large ones. Throws std::overflow_error if rounding errors
/// leave nothing of the sum.
ExactSums exact_sums(const ParentSetsView<uint16_t>& sets, std::span<const double> scale,
                     const Budget& budget);

}  // namespace forebear
