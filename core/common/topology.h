// Topological orders of directed acyclic graphs.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace forebear {

/// Which of the variables whose parents are all in the order comes next.
enum class Next {
    ready_longest,  ///< the one that has been ready for the longest; roots as in `preference`
    preferred,      ///< the one that comes first in `preference`
};

/// An order in which parents precede their children (Kahn, 1962). `parents` has a row of `slots`
/// per variable, with -1 in unused slots. The result is shorter than `preference` if there is a
/// cycle.
std::vector<int32_t> topological_order(std::span<const int32_t> parents, int slots,
                                       std::span<const int32_t> preference, Next next);

}  // namespace forebear
