// From an order to parent sets, and back.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "search/ordersets.h"

namespace forebear {

/// A table of flags for the scans, with room for their pads.
std::vector<uint8_t> make_flags(const OrderSets& sets);

/// Gives every variable its best set among those that precede it. Returns the score in ticks.
int64_t best_sets(const OrderSets& sets, std::span<const int32_t> order, std::span<int32_t> ranks);

/// Writes the members of a set to `slots` places, -1 in those left over. Returns their number.
int write_parents(const OrderSets& sets, int v, int rank, int32_t* parents);

/// ASOBS (Scanagatta et al., 2015): from the last of the order to the first, each variable takes
/// the best set that makes no cycle, be its members before it or not. Returns an order of the
/// result.
std::vector<int32_t> acyclic_selection(const OrderSets& sets, std::span<const int32_t> order);

}  // namespace forebear
