// Crossover and mutation: the orders that children start from.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "common/random.h"
#include "search/individual.h"
#include "search/ordersets.h"

namespace forebear {

/// Combines two networks: the variables of a random connected region prefer their sets in y, the
/// others their sets in x, as far as no cycle arises. Good substructures are thus inherited as a
/// whole. Returns a topological order of the network.
std::vector<int32_t> cross_networks(const OrderSets& sets, const Individual& x, const Individual& y,
                                    Random& random);

/// Mutates an order: swaps random pairs of variables.
std::vector<int32_t> swap_pairs(std::span<const int32_t> order, int swaps, Random& random);

}  // namespace forebear
