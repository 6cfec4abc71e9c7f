// Several chains, each with its ladder of temperatures, and the samples that they recorded.
#pragma once

#include <cstdint>
#include <deque>
#include <span>
#include <vector>

#include "common/budget.h"
#include "common/parallel.h"
#include "posterior/chain.h"

namespace forebear {

/// A chain at temperature 1 and its copies at higher temperatures, which exchange networks (parallel
/// tempering), with the samples that it has recorded.
struct Ladder {
    std::vector<Chain> rungs;  // by place; which of them has beta 1 changes
    Random random;
    std::vector<int32_t> ranks;   ///< of all samples, one after another
    std::vector<double> scores;   ///< of all samples
    std::vector<uint32_t> visits; ///< by place in the collection: sweeps that ended with this set
    int64_t sweeps = 0;           ///< that visits counts
    std::vector<MoveCounts> exchanges;  ///< of each temperature with the next one

    /// The rungs, coldest first.
    std::vector<Chain*> by_temperature();
    Chain& coldest();
    void sweep();
};

class Sampler {
public:
    /// `betas` begins with 1 and descends. `starts` has a network per chain and temperature, one
    /// after another. The arrays of `all` must outlive this.
    Sampler(const ParentSetsView<uint16_t>& all, std::span<const double> betas,
            Relations relations, std::span<const int32_t> starts, std::span<const Random> seeds,
            double tail);

    /// Every chain adds `samples` samples, one after every `thin` sweeps. Chains end early when the
    /// budget is spent, so that they can have different numbers of samples.
    void advance(int64_t samples, int64_t thin, int threads, const Budget& budget);
    /// Discards everything but the current networks.
    void forget();
    /// Keeps every second sample, the last of each pair.
    void halve();

    int chains() const { return static_cast<int>(ladders_.size()); }
    const Ladder& ladder(int chain) const { return ladders_[index(chain)]; }
    /// The current networks, one per chain and temperature, in the order of `starts`.
    std::vector<int32_t> networks();
    const WeightedSets& sets() const { return sets_; }
    double left_out() const;

private:
    WeightedSets sets_;
    Relations relations_;
    std::deque<Weights> weights_;  // by temperature; chains point to them
    std::vector<Ladder> ladders_;
};

}  // namespace forebear
