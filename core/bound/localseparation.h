// Finds local cuts that a soft solution violates.
#pragma once

#include <vector>

#include "bound/clusters.h"
#include "bound/softascent.h"
#include "common/budget.h"
#include "common/parallel.h"

namespace forebear {

/// The most violated local cuts, at most one per variable or a few more. The solution misses what
/// is due by at least `violation` times the largest shortfall.
std::vector<Cut> violated_local_cuts(const SoftAscent& ascent, double violation,
                                     const Budget& budget, Team& team);

}  // namespace forebear
