// Clusters of variables and their multipliers.
//
// In every set C of variables of a network, some member has no parents in C: the
// first one in any order that puts parents first. So if all sets of members that
// avoid C become cheaper by x, a network becomes cheaper by at least x: the cost of
// the cheapest sets, each variable for itself, plus x, is still a lower bound.
//
// A cluster of level k says more: its first k members each have fewer than k parents in
// it. Sets with fewer than k members in C avoid it, and a network has at least k of them.
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
    int idle = 0;             ///< for how many rounds the multiplier has been zero
};

/// A cluster with a whole number of ticks: what is proven with it is exact.
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
    /// Goes back to earlier multipliers; other clusters have none.
    void restore(std::span<const Weighted> earlier) {
        items_.clear();
        known_.clear();
        for (const Weighted& cluster : earlier) {
            add(cluster.members, cluster.level);
            items_.back().multiplier = static_cast<double>(cluster.ticks);
        }
    }
    /// Forgets clusters whose multiplier has been zero for more rounds than `patience`.
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
