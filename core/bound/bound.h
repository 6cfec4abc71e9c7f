// A score that no network exceeds, round by round.
//
// A round improves the multipliers on a few columns (softascent.h), adds clusters that
// the solution violates (separation.h), and then proves a bound by an exact pass over
// all sets (pricing.h), which also chooses the columns of the next round. What counts
// is only what the passes prove.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "bound/boundsets.h"
#include "bound/clusters.h"
#include "bound/pricing.h"
#include "bound/softascent.h"
#include "common/budget.h"
#include "common/index.h"
#include "common/random.h"

namespace forebear {

class Bound {
public:
    /// Problems of up to `largest_exact` variables that may depend on each other are solved
    /// exactly.
    Bound(const BoundSets& sets, int largest_exact);

    /// A network of at most this cost is known: sets that are in no network as cheap are dropped,
    /// and no more than this cost is proven.
    /// `rounding`: it may cost so much more, since somebody rounded when adding up.
    void know(int64_t cost, int64_t rounding) {
        known_ = cost + rounding;
        rounding_ = rounding;
    }
    /// One round, in which a budget that is spent cuts short all but the proof.
    void advance(const Budget& budget, int threads);
    /// What every network costs at least.
    int64_t least_cost() const { return least_; }
    /// Whether that is what the cheapest network costs.
    bool closed() const { return closed_; }
    /// How many clusters have a multiplier in what was proven.
    size_t clusters() const { return best_.size(); }
    /// Of each variable, ranks of the sets that a network as cheap as the known one may have,
    /// ascending.
    std::vector<std::vector<int32_t>> survivors(int threads) const;
    /// Of each variable, the ranks of all sets by their reduced costs under what was proven.
    std::vector<std::vector<int32_t>> by_reduced_cost(int threads) const;

private:
    void ascend(const Budget& budget, int threads);
    void adapt_slack(const SoftAscent& ascent);
    void separate(const SoftAscent& ascent, int level, int threads);
    std::vector<Weighted> multipliers() const;
    int64_t prove(int threads);
    void choose_columns(const Pricing& pricing, int v);
    void group(int v, std::vector<Column>& columns) const;
    void accept(int64_t cost, int threads);
    void widen();
    void go_back(int threads);
    bool cool(int64_t gain);
    void drop(int threads);
    void solve();
    size_t kept_count(int v) const {
        const Kept& kept = kept_[index(v)];
        return kept.all ? index(sets_.count(v)) : kept.ranks.size();
    }

    const BoundSets& sets_;
    int largest_exact_;
    Clusters clusters_;
    std::vector<Weighted> best_;  // the multipliers that proved the most
    int64_t proven_ = 0;          // by them
    int64_t least_ = 0;
    std::optional<int64_t> known_;
    int64_t rounding_ = 0;  // of what is known
    bool started_ = false, closed_ = false;
    int rounds_ = 0;
    double temperature_ = 1.0, first_temperature_ = 1.0;
    std::vector<Kept> kept_;
    int64_t dropped_at_ = 0;  // how far the bound was from the known cost the last time
    std::vector<std::vector<Column>> columns_;
    std::vector<int64_t> cheapest_;  // of v: the least reduced cost of any set
    std::vector<double> slack_;      // of v: columns are up to so many temperatures dearer
    Random random_;
};

}  // namespace forebear
