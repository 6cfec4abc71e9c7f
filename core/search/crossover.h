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

/// The parts in which y is better than x, outside a region. A part is a set of variables whose sets
/// differ, linked by the members of those sets.
std::vector<std::vector<int>> better_parts(const OrderSets& sets, Solution x, Solution y,
                                           const std::vector<bool>& region);

/// Combines two networks: the variables of a random connected region prefer their sets in y, the
/// others those in x, as far as no cycle arises. So good substructures are inherited whole. If y is
/// better than x in several separate parts outside the region, some children take all of these (as
/// in the partition crossover of Whitley et al., 2009). Returns a topological order of the network.
std::vector<int32_t> cross_networks(const OrderSets& sets, Solution x, Solution y, Random& random);

}  // namespace forebear
