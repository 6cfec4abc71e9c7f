// The cost of the cheapest network, for problems that fall into small parts.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "bound/boundsets.h"
#include "bound/pricing.h"

namespace forebear {

/// More than the cost of any network.
constexpr int64_t kNoNetwork = int64_t{1} << 60;

/// The cost of the cheapest network of the sets kept, or kNoNetwork if there is none. Variables
/// that cannot be on a cycle together are solved separately. Returns nothing if more than `largest`
/// can.
std::optional<int64_t> exact_cost(const BoundSets& sets, std::span<const Kept> kept, int largest);

}  // namespace forebear
