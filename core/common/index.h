// Conversion of signed numbers (variables, ranks, places) to indices of containers.
#pragma once

#include <concepts>
#include <cstddef>

namespace forebear {

constexpr std::size_t index(std::integral auto i) { return static_cast<std::size_t>(i); }

}  // namespace forebear
