// Crossover: a new order from two good networks.
#pragma once

#include <cstdint>
#include <vector>

#include "common/random.h"
#include "search/individual.h"
#include "search/ordersets.h"

namespace forebear {

/// Combines two networks: the variables of a random connected region prefer their sets in y, the
/// others those in x, as far as no cycle arises. So good substructures are inherited whole. Returns a
/// topological order of the network.
std::vector<int32_t> cross_networks(const OrderSets& sets, const Individual& x, const Individual& y,
                                    Random& random);

}  // namespace forebear
