// Finds cluster cuts that a relaxed solution violates.
//
// In a cluster C of level k, the parent sets of members with fewer than k parents in C have a total
// weight of at least k in every network (see proof/clusters.h). The search looks for clusters where
// this weight, the slim weight, is below k.
#pragma once

#include <cstdint>
#include <vector>

#include "common/budget.h"
#include "common/parallel.h"
#include "proof/support.h"

namespace forebear {

struct ClusterCut {
    std::vector<int> members;  ///< ascending; more than `level` of them
    int level;
    double violation;  ///< the level less the slim weight
};

/// Finds violated cluster cuts of levels 1 to `most_level`: along shortest cycles, by growing
/// clusters from every variable, and by local search from these. The most violated come first.
std::vector<ClusterCut> find_cluster_cuts(const Support& support, int most_level,
                                          const Budget& budget, Team& team);

}  // namespace forebear
