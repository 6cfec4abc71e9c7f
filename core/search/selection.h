// Parent sets chosen for an order, and orders for chosen parent sets.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "search/ordersets.h"

namespace forebear {

/// A table of flags for the scans (scan.h), all kFine.
std::vector<uint8_t> make_flags(const OrderSets& sets);

/// Gives every variable its best set among the variables that precede it. Returns the score in
/// ticks.
int64_t best_sets(const OrderSets& sets, std::span<const int32_t> order, std::span<int32_t> ranks);

/// Writes the members of a set to `slots` places, -1 in unused ones. Returns the number of members.
int write_parents(const OrderSets& sets, int v, int rank, int32_t* parents);

/// ASOBS (Scanagatta et al., 2015): from the last variable of the order to the first, each gets its
/// best set that creates no cycle, whether the members precede it or not. Returns a topological
/// order of the network.
std::vector<int32_t> acyclic_selection(const OrderSets& sets, std::span<const int32_t> order);

}  // namespace forebear
