// Multipliers by smoothed dual ascent.
//
// The bound is concave in the multipliers but has kinks, and going up along one
// multiplier at a time ends at the first ridge. So the least reduced cost of a
// variable is replaced by a soft minimum of some temperature: each set then has a
// weight, exp(-reduced cost / temperature), and the sets of a variable a distribution.
// The best multiplier of a cluster, given the others, makes the expected number of
// members that avoid it one (or two, if it is of the second level). Going through the clusters
// again and again climbs to the optimum, and lowers multipliers as easily as it raises them. As the
// temperature falls, that becomes the optimum of the linear program.
//
// Only cheap sets have any weight, so this works on few columns a variable, chosen by
// the exact pass. The others are there as groups, each as cheap as its cheapest set, and
// avoiding every cluster that does not have the one member it tells of. Without them,
// multipliers would soon be much too large for the sets left out. For the same reason
// one column hits every cluster: without it, they would fall too far. Nothing here needs
// to be exact.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "bound/boundsets.h"
#include "bound/clusters.h"
#include "bound/pricing.h"
#include "common/index.h"

namespace forebear {

class SoftAscent {
public:
    /// `columns[v]`: sets and groups of sets, with their reduced costs under the clusters'
    /// multipliers.
    SoftAscent(const BoundSets& sets, std::span<const std::vector<Column>> columns,
               double temperature);

    /// Makes room for clusters that were added since.
    void extend(const Clusters& clusters);
    /// Sets the multiplier of each cluster in turn to its best, or only of those that have one.
    /// Returns the largest change, in temperatures.
    double sweep(Clusters& clusters, bool all);

    int n() const { return static_cast<int>(lists_.size()); }
    int count(int v) const { return lists_[index(v)].count; }
    int slots() const { return slots_; }
    /// The weights of a variable's columns; to be divided by their sum.
    const double* weights(int v) const { return weights_.data() + lists_[index(v)].begin; }
    /// The members of a column, kNoParent where there are fewer; kEveryVariable for all.
    const uint16_t* members(int v, int column) const {
        return members_.data() + (lists_[index(v)].begin + index(column)) * index(slots_);
    }

private:
    static constexpr int kLanes = 8;
    struct List {
        size_t begin;  // in weights_, a multiple of kLanes
        int count, padded;
    };
    struct Share {  // the weight of the columns that avoid a cluster, and of those that hit it
        double avoids, hits;
    };
    struct Membership {  // of a variable in a cluster: which of its columns avoid it
        int32_t variable;
        size_t mask;
    };

    Share share(const Membership& membership) const;
    void scale(const Membership& membership, const Share& share, double factor);
    double best_step(double least, double most, int level);
    double step(Cluster& cluster, size_t number);

    int slots_;  // at least one, for kEveryVariable
    double temperature_;
    std::vector<List> lists_;
    std::vector<double> weights_;
    std::vector<uint16_t> members_;
    std::vector<size_t> starts_{
        0};  // of cluster c: its memberships are at [starts_[c], starts_[c + 1])
    std::vector<Membership> memberships_;
    std::vector<uint8_t> masks_;
    std::vector<uint8_t> inside_;   // scratch: of a variable, whether it is in the cluster
    std::vector<Share> shares_;     // scratch: of the members of the cluster at hand
    std::vector<double> log_odds_;  // scratch
};

}  // namespace forebear
