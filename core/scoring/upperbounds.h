// Finds all parent sets that are not dominated, beyond those that were scored, by upper bounds on
// the scores of larger sets.
//
// A set is open if the upper bound on the scores of all its supersets is above the best score of
// its scored subsets. Otherwise all supersets are dominated. As sets grow, bounds only fall and
// best scores only rise, so all subsets of an open set are open.
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

struct ScoredSet {
    uint64_t members;  ///< as bits of candidates
    double score;
};

/// The sets beyond the scored ones that are not dominated.
struct LargerSets {
    std::vector<uint64_t> sets;  ///< they score higher than all subsets scored before them
    int64_t explored = 0;         ///< open sets
    bool complete = false;        ///< false if the budget or one of the limits was reached
};

/// The upper bounds of a table under BDeu, BDs, K2, BIC or AIC, with any prior. Threads share it. Sets are bits of
/// a child's candidate parents, at most 63.
class UpperBounds {
public:
    /// `team` is used only by the constructor.
    UpperBounds(std::shared_ptr<const PackedTable> packed, ScoreOptions score, Team& team);

    /// The upper bound on the scores of a set of candidates and of all its supersets.
    double bound(int child, std::span<const uint16_t> candidates, uint64_t members);
    /// Finds the sets of more than `scored_size` candidates that are not dominated. `scored_sets`
    /// are those of up to `scored_size` candidates. Every set has the required candidates. Explores
    /// at most `most_explored` sets, and finds at most `most_found`.
    LargerSets larger(int child, std::span<const uint16_t> candidates,
                      std::vector<ScoredSet> scored_sets, int scored_size, uint64_t required, int64_t most_explored, size_t most_found,
                      const Budget& budget);

private:
    friend class LargerSetSearch;
    std::shared_ptr<const PackedTable> packed_;
    bool penalized_;  // BIC or AIC: bounds do not depend on the rows of a set
    std::atomic<int64_t> bytes_{0};
    FamilyScores scores_;
    std::vector<NeighborData> data_;  // by table
};

}  // namespace forebear
