// Crossover: a new order from two good networks.
#pragma once

#include <span>
#include <vector>

#include "common/random.h"
#include "search/ordersets.h"

namespace forebear {

/// An order and the ranks of its best sets.
struct Solution {
    std::span<const int32_t> order;
    std::span<const int32_t> ranks;
};

/// Combines two networks: the variables of a random connected region prefer their sets in y, the
/// others those in x, as far as no cycle arises. So good substructures are inherited whole. Returns
/// a topological order of the network.
std::vector<int32_t> cross_networks(const OrderSets& sets, Solution x, Solution y, Random& random);

}  // namespace forebear
