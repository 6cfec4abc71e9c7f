// An exact search for a violated cluster of level 1, for when heuristics find none.
#pragma once

#include <cstdint>
#include <vector>

#include "common/budget.h"
#include "exact/support.h"

namespace forebear {

/// Finds a cluster whose slim weight is below 1 - `violated`, ascending; empty if there is none, or
/// if none is found within `most_nodes` nodes or the time.
std::vector<int> search_cluster(const Support& support, double violated, int64_t most_nodes,
                                const Budget& budget);

}  // namespace forebear
