// The best order of up to some thirty variables, by dynamic programming over sets of variables.
//
// The best network of a set of variables S has a variable that comes last: it has its cheapest
// parents among the others, and the others form the best network of theirs (Silander and Myllymäki,
// 2006):
//
//     F(S) = min over v in S of  F(S - v) + least cost of v with parents in S - v
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "common/budget.h"
#include "common/parallel.h"

namespace forebear {

/// The parent sets of one variable as bit masks, with costs. Costs are whole numbers, so that sums
/// below 2^53 are exact.
struct MaskedCosts {
    std::span<const uint32_t> masks;
    std::span<const double> costs;
};

struct OrderFound {
    double cost;             ///< infinite if no network is allowed
    std::vector<int> order;  ///< empty then
};

/// The bytes that `best_order` needs.
uint64_t bytes_of_best_order(int n, int threads);

/// Finds the cheapest network's order, or nothing if the budget is spent first. Of several, that
/// whose last variable has the smallest index, then the last but one, and so on.
std::optional<OrderFound> best_order(std::span<const MaskedCosts> variables, const Budget& budget,
                                     Team& team);

}  // namespace forebear
