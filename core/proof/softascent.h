// Improves multipliers by smoothed dual coordinate ascent.
//
// The bound is concave in the multipliers but not smooth, and coordinate ascent would stop at the
// first ridge. So the least reduced cost of a variable is replaced by a soft minimum with a
// temperature: each set has the weight exp(-reduced cost / temperature), and the weights of a
// variable are a distribution. Given the others, the best multiplier of a cluster makes the
// expected number of members that avoid it equal to its level, and that of a local cut the expected
// shortfall equal to what is due. Repeated sweeps over all cuts converge to the optimum. As the
// temperature falls, that becomes the optimum of the linear program.
//
// Only cheap sets have much weight, so this uses few columns per variable, chosen by the exact
// pass. The other sets are represented by groups. A group costs as much as its cheapest set, and
// avoids every cluster without its one known member. Without groups, multipliers would become too
// large for the sets left out. One column hits every cluster: without it, multipliers would become
// too small. Nothing here needs to be exact.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "proof/clusters.h"
#include "proof/pricing.h"
#include "proof/support.h"
#include "common/index.h"
#include "common/parallel.h"

namespace forebear {

class SoftAscent {
public:
    /// `columns[v]` are sets and groups of sets, with reduced costs under the current multipliers.
    /// The team prepares them; the sweeps are on one thread.
    SoftAscent(const SetCosts& sets, std::span<const std::vector<Column>> columns,
               double temperature, Team& team);

    /// Includes clusters that were added since the last call.
    void extend(const Clusters& clusters);
    /// Sets the multiplier of each cluster in turn to its best; unless `all`, only of those with a
    /// multiplier. Returns the largest change, in temperatures.
    double sweep(Clusters& clusters, bool all);

    /// The weights of the columns of a variable, not normalized.
    const double* weights(int v) const { return weights_.data() + lists_[index(v)].begin; }
    /// The solution, without columns whose probability is not above `unlikely`.
    Support support(double unlikely) const;

private:
    static constexpr int kLanes = 8;  // doubles that the compiler adds up in vectors
    struct List {
        size_t begin;  // in weights_, a multiple of kLanes
        int count, padded;
    };
    struct Share {  // the weights of the columns that avoid and that hit a cluster
        double avoids, hits;
    };
    struct Membership {  // a variable of a cut, and the shortfalls of its columns: 1 if they avoid
                         // a cluster
        int32_t variable;
        size_t mask;
    };
    struct Weight {  // of the columns with a shortfall
        double shortfall, weight;
    };

    /// The members of a column, with kNoParent in unused slots; kEveryVariable stands for all.
    const uint16_t* members(int v, int column) const {
        return members_.data() + (lists_[index(v)].begin + index(column)) * index(slots_);
    }
    void fill_masks(const Cut& cut, size_t number, std::span<uint8_t> inside);
    void fill_local(const Cut& cut, size_t number, std::span<uint8_t> bits);
    Share share(const Membership& membership) const;
    void scale(const Membership& membership, const Share& share, double factor);
    double best_step(double least, double most, int level);
    double step(Cluster& cluster, size_t number);
    double step_local(Cluster& local, size_t number);
    void add_weights(const Membership& membership);
    double best_local_step(double least, double most, int due) const;
    void scale_local(const Membership& membership, std::span<const Weight> weights, double t);

    int slots_;  // at least one, for kEveryVariable
    double temperature_;
    Team& team_;
    std::vector<List> lists_;
    std::vector<double> weights_;
    std::vector<uint16_t> members_;
    std::vector<size_t> starts_{
        0};  // the memberships of cluster c are at [starts_[c], starts_[c + 1])
    std::vector<Membership> memberships_;
    std::vector<uint8_t> masks_;
    std::vector<Share> shares_;         // scratch: of the members of the current cluster
    std::vector<double> log_odds_;      // scratch
    std::vector<Weight> by_shortfall_;  // scratch: of each member of the current local cut
    std::vector<size_t> member_ends_;   // scratch: where the weights of each end
};

}  // namespace forebear
