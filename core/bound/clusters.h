// Clusters of variables and their multipliers (cluster constraints: Jaakkola et al., 2010).
//
// In every network, some member of a set C of variables has no parents in C: the first one in a
// topological order. So if the parent sets of members that avoid C (have no member in C) become
// cheaper by x, every network becomes cheaper by at least x. The sum of the cheapest sets of all
// variables, plus x, is then still a lower bound.
//
// A cluster of level k says more: its first k members have fewer than k parents in it. There a set
// avoids C if it has fewer than k members in C, and a network has at least k such sets.
#pragma once

#include <algorithm>
#include <cstdint>
#include <set>
#include <span>
#include <utility>
#include <vector>

namespace forebear {

struct Cluster {
    std::vector<int32_t> members;  ///< ascending; more than `level` of them
    int level = 1;
    double multiplier = 0.0;  ///< in ticks
    int idle = 0;             ///< the number of rounds for which the multiplier has been zero
};

/// A cluster with a multiplier in whole ticks, for exact proofs.
struct Weighted {
    std::vector<int32_t> members;
    int level;
    int64_t ticks;
};

class Clusters {
public:
    /// Adds a cluster unless it is known.
    void add(std::vector<int32_t> members, int level) {
        if (known_.emplace(level, members).second) items_.push_back({std::move(members), level});
    }
    size_t size() const { return items_.size(); }
    Cluster& operator[](size_t i) { return items_[i]; }
    const std::vector<Cluster>& items() const { return items_; }
    /// Restores earlier clusters and multipliers, and forgets all others.
    void restore(std::span<const Weighted> earlier) {
        items_.clear();
        known_.clear();
        for (const Weighted& cluster : earlier) {
            add(cluster.members, cluster.level);
            items_.back().multiplier = static_cast<double>(cluster.ticks);
        }
    }
    /// Forgets clusters whose multiplier has been zero for more than `patience` rounds.
    void forget_idle(int patience) {
        std::erase_if(items_, [&](Cluster& cluster) {
            cluster.idle = cluster.multiplier > 0.0 ? 0 : cluster.idle + 1;
            if (cluster.idle <= patience) return false;
            known_.erase({cluster.level, cluster.members});
            return true;
        });
    }

private:
    std::vector<Cluster> items_;
    std::set<std::pair<int, std::vector<int32_t>>> known_;
};

}  // namespace forebear
