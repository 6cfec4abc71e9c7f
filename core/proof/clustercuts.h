// Finds cluster cuts that a relaxed solution violates.
//
// In a cluster C of level k, the parent sets of members with fewer than k parents in C have a total
// weight of at least k in every network (see proof/clusters.h). The search looks for clusters where
// this weight is below k.
#pragma once

#include <cstdint>
#include <vector>

#include "common/budget.h"
#include "common/parallel.h"
#include "common/random.h"
#include "proof/support.h"

namespace forebear {

struct ClusterCut {
    std::vector<int> members;  ///< ascending; more than `level` of them
    int level;
    double violation;  ///< the level less the weight of the sets that avoid the cluster
};

/// Grows and improves clusters of one level. A set avoids a cluster if it has fewer members in it
/// than the level. Each step adds the variable that lowers the weight of the sets of members that
/// avoid the cluster the most.
class ClusterSearch {
public:
    ClusterSearch(const Support& support, int level);

    /// The most violated cluster found from a start; without members if none is violated by
    /// `violation`.
    ClusterCut grow(int start, double violation, Random& random);
    /// Removes members without which the cluster is violated at least as much, and adds variables with
    /// which it is violated more.
    ClusterCut improve(std::vector<int> cluster);
    double violation(const std::vector<int>& cluster);

private:
    struct Member {
        int variable;
        std::vector<const SupportSet*> avoiding;  // its sets that avoid the cluster
    };

    int held(const SupportSet& set) const;
    double avoids(int v) const;
    void add_gain(int u, double weight);
    void clear_gains();
    void join(int v);
    bool begin(int start, Random& random);
    int choose_next(Random& random);
    void weigh_changes(const std::vector<int>& cluster);

    const Support& support_;
    int level_;
    std::vector<uint8_t> inside_;
    std::vector<Member> members_;
    size_t size_ = 0;         // the number of members_ in use
    double expected_ = 0.0;   // the weight of the sets of members that avoid the cluster
    std::vector<double> gain_;  // of u: the weight of members' sets that avoid the cluster but would
                                // not with u
    std::vector<uint8_t> is_candidate_;
    std::vector<int> candidates_;  // variables that have or had a gain
};

/// Finds violated cluster cuts of levels 1 to `most_level`: along shortest cycles, by growing
/// clusters from every variable, and by local search from these. The most violated come first.
std::vector<ClusterCut> find_cluster_cuts(const Support& support, int most_level,
                                          const Budget& budget, Team& team);

}  // namespace forebear
