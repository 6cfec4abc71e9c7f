// Finds all parent sets worth having, beyond those that were scored, by upper bounds on the scores
// of larger sets.
//
// A set is open if the upper bound on the scores of all its supersets is above the best score of
// its subsets that are known. If it is not, no superset is worth having. Bounds only fall and best
// scores only rise as sets grow, so all subsets of an open set are open.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "common/budget.h"
#include "common/parallel.h"
#include "scoring/neighbors.h"
#include "scoring/table.h"
#include "scoring/score.h"

namespace forebear {

struct KnownSet {
    uint64_t members;  ///< as bits of candidates
    double score;
};

/// What there is beyond the known sets.
struct LargerSets {
    std::vector<uint64_t> found;  ///< they beat all subsets that were known by then
    int64_t explored = 0;         ///< open sets
    bool complete = false;        ///< false if the budget or one of the limits was reached
};

/// The upper bounds of a table under BDeu, BDs, K2, BIC or AIC. Threads share it. Sets are bits of a
/// child's candidate parents, at most 63.
class UpperBounds {
public:
    /// `team` is needed only while this is made.
    UpperBounds(std::shared_ptr<const PackedTable> packed, ScoreOptions score, Team& team);

    /// The upper bound on the scores of a set of candidates and of all its supersets.
    double bound(int child, std::span<const uint16_t> candidates, uint64_t members);
    /// Finds the sets of more than `scored` candidates that beat their subsets. `known` are the sets
    /// of up to `scored` candidates that do. Every set has the required candidates. Explores and
    /// finds at most as many sets as given.
    LargerSets larger(int child, std::span<const uint16_t> candidates, std::vector<KnownSet> known,
                      int scored, uint64_t required, int64_t most_explored, size_t most_found,
                      const Budget& budget);

private:
    friend class LargerSetSearch;
    std::shared_ptr<const PackedTable> packed_;
    bool penalized_;  // BIC or AIC: bounds do not depend on the rows of a set
    std::atomic<int64_t> bytes_{0};
    Score score_;
    NeighborData data_;
};

}  // namespace forebear
