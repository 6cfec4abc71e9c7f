// The cheapest network itself, where the sets that are left leave only small problems.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "bound/boundsets.h"
#include "bound/pricing.h"

namespace forebear {

/// More than any network costs.
constexpr int64_t kNoNetwork = int64_t{1} << 60;

/// The cost of the cheapest network of the sets kept, kNoNetwork if there is none. Variables that
/// cannot be on a cycle together are solved apart; nothing if more than `largest` can.
std::optional<int64_t> exact_cost(const BoundSets& sets, std::span<const Kept> kept, int largest);

}  // namespace forebear
