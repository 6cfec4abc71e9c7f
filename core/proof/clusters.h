// Clusters of variables and their multipliers (cluster constraints: Jaakkola et al., 2010).
//
// In every network, some member of a set C of variables has no parents in C: the first one in a
// topological order. So if the parent sets of members that avoid C (have no member in C) become
// cheaper by x, every network becomes cheaper by at least x. The sum of the cheapest sets of all
// variables, plus x, is then still a lower bound.
//
// A cluster of level k is stronger: its first k members have fewer than k parents in it. A set
// avoids it if it has fewer than k members in C, and a network has at least k such sets.
//
// A local cut is a stronger inequality over a small group of variables (proof/localcuts.h). Each set
// of a member has a shortfall, a whole number that depends on its parents in the group. In every
// network, the shortfalls add up to at least `due`. A cluster is the case where sets that avoid it
// have the shortfall 1, and the level is due.
#pragma once

#include <algorithm>
#include <compare>
#include <cstdint>
#include <set>
#include <span>
#include <utility>
#include <vector>

namespace forebear {

struct Cut {
    std::vector<int32_t> members;  ///< ascending; of a cluster, more than `level`
    int level = 1;                 ///< of a cluster; 0 for a local cut
    /// Of a local cut, by member and by subset of the members (a bit mask): the shortfall of a set
    /// with these parents in the group. More parents never have a larger shortfall.
    std::vector<uint8_t> shortfalls = {};
    int due = 1;  ///< the least sum of shortfalls of a network; the level of a cluster

    static Cut cluster(std::vector<int32_t> members, int level) {
        return {std::move(members), level, {}, level};
    }
    bool is_local() const { return level == 0; }
    uint8_t shortfall(size_t member, size_t parents) const {
        return shortfalls[(member << members.size()) + parents];
    }
    /// The largest sum of shortfalls.
    int64_t most() const {
        if (!is_local()) return static_cast<int64_t>(members.size());
        int64_t sum = 0;
        for (size_t i = 0; i < members.size(); ++i) sum += shortfall(i, 0);
        return sum;
    }
    auto operator<=>(const Cut&) const = default;
};

/// A cluster or local cut and its multiplier.
struct Cluster {
    Cut cut;
    double multiplier = 0.0;  ///< in ticks
    int idle = 0;             ///< the number of rounds for which the multiplier has been zero
};

/// A cut with a multiplier in whole ticks, for exact proofs.
struct PricedCut {
    Cut cut;
    int64_t ticks;
};

class Clusters {
public:
    /// Adds a cut unless it is present. Returns whether it was added.
    bool add(const Cut& cut) {
        const bool added = cuts_.insert(cut).second;
        if (added) items_.push_back({cut});
        return added;
    }
    size_t size() const { return items_.size(); }
    Cluster& operator[](size_t i) { return items_[i]; }
    const std::vector<Cluster>& items() const { return items_; }
    /// Restores earlier clusters and multipliers, and forgets all others.
    void restore(std::span<const PricedCut> earlier) {
        items_.clear();
        cuts_.clear();
        for (const PricedCut& cluster : earlier) {
            add(cluster.cut);
            items_.back().multiplier = static_cast<double>(cluster.ticks);
        }
    }
    /// Forgets clusters whose multiplier has been zero for more than `patience` rounds.
    void forget_idle(int patience) {
        std::erase_if(items_, [&](Cluster& cluster) {
            cluster.idle = cluster.multiplier > 0.0 ? 0 : cluster.idle + 1;
            if (cluster.idle <= patience) return false;
            cuts_.erase(cluster.cut);
            return true;
        });
    }

private:
    std::vector<Cluster> items_;
    std::set<Cut> cuts_;
};

}  // namespace forebear
