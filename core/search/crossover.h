// Making a new order out of two good ones.
#pragma once

#include <span>
#include <vector>

#include "common/random.h"
#include "search/ordersets.h"

namespace forebear {

/// A climbed order and the sets it gives its variables.
struct Solution {
    std::span<const int32_t> order;
    std::span<const int32_t> ranks;
};

/// Joins two networks: a random connected cluster of variables prefers y's sets, the others x's,
/// as far as no cycle arises. Good substructures are inherited whole. Returns an order of the
/// result.
std::vector<int32_t> cross_networks(const OrderSets& sets, Solution x, Solution y, Random& random);

}  // namespace forebear
