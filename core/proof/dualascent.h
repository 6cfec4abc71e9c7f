// A lower bound on the cost of every network, improved in rounds.
//
// The cost of a network is the distance of its score from the sum of the best scores of all
// variables. A round improves the multipliers on a few columns (softascent.h), adds clusters and
// local cuts that the solution violates (clustercuts.h, localcuts.h), and then proves a bound by an
// exact pass over all parent sets (pricing.h), which also chooses the columns of the next round. Only
// these passes have to be exact.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "proof/clusters.h"
#include "proof/pricing.h"
#include "proof/softascent.h"
#include "common/budget.h"
#include "common/index.h"
#include "common/parallel.h"
#include "common/random.h"

namespace forebear {

class DualAscent {
public:
    /// Without `local_cuts`, only clusters are added to the first cuts.
    DualAscent(SetCosts sets, std::span<const PricedCut> cuts, bool local_cuts);

    /// Sets that only networks of this cost or more have may be dropped. The bound then does not
    /// exceed this cost, and is closed when it reaches `target`.
    void set_incumbent(int64_t cost, int64_t target) {
        incumbent_ = cost;
        target_ = target;
    }
    /// Runs one round. A spent budget shortens all of it but the proof.
    void advance(const Budget& budget, Team& team);
    /// The proven lower bound on the cost of every network.
    int64_t least_cost() const { return least_; }
    /// Whether the target is proven.
    bool closed() const { return incumbent_ && least_ >= target_; }
    /// How many times sets were dropped.
    size_t drops() const { return drops_.size(); }
    /// The number of clusters with a multiplier in the proof.
    size_t clusters() const { return best_.size(); }
    /// The multipliers of the proofs that dropped sets, in order, then those of the best proof.
    std::vector<std::vector<PricedCut>> proofs() const;
    /// For all sets of all variables, in order: the sum of the multipliers of the clusters that each
    /// avoids.
    std::vector<int64_t> avoided(const std::vector<PricedCut>& multipliers, Team& team) const;

private:
    void ascend(const Budget& budget, Team& team);
    bool is_fine() const;
    void adapt_columns(const SoftAscent& ascent);
    void separate(const SoftAscent& ascent, int level, Team& team);
    void separate_local(const SoftAscent& ascent, const Budget& budget, Team& team);
    std::vector<PricedCut> multipliers() const;
    int64_t prove(Team& team);
    void choose_columns(const Pricing& pricing, int v);
    void group(int v, std::vector<Column>& columns) const;
    void accept(int64_t cost, Team& team);
    bool cool(int64_t gain);
    void drop(Team& team);

    SetCosts sets_;
    bool local_cuts_;
    Clusters clusters_;
    std::vector<PricedCut> best_;                // the multipliers of the best proof
    std::vector<std::vector<PricedCut>> drops_;  // those that dropped sets, in order
    int64_t proven_ = 0;                        // the bound that they prove
    int64_t least_ = 0;
    std::optional<int64_t> incumbent_;
    int64_t target_ = 0;
    bool started_ = false;
    int rounds_ = 0;
    double temperature_ = 1.0, first_temperature_ = 1.0;
    double frozen_;     // share of the first temperature at which it rises again
    double violation_;  // by which clusters must be violated to be added
    int sweeps_;        // in a round, at most
    std::vector<std::vector<int32_t>> kept_;  // of v: the ranks of its sets that are left
    // The gap between the bound and the incumbent when sets were last dropped.
    int64_t dropped_at_ = 0;
    std::vector<std::vector<Column>> columns_;
    std::vector<int64_t> cheapest_;  // of v: the least reduced cost of its sets
    std::vector<double>
        slack_;  // of v: columns cost at most so many temperatures more than the cheapest
    std::vector<double> most_columns_;  // of v: others are grouped
    /// Separation pauses for 1, 3, 7 calls where it found nothing, until the temperature falls: on
    /// reuters-test it took more than half of the time, and found little from most variables.
    struct Pause {
        static constexpr int kLongest = 7;
        int length = 0, left = 0;
        void set(bool longer) {
            length = longer ? std::min(kLongest, 2 * length + 1) : 0;
            left = length;
        }
    };
    std::vector<std::vector<Pause>> pauses_;  // of clusters, by level and v
    Pause local_pause_;
    Random random_;
};

}  // namespace forebear
