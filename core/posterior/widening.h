// Parent sets for sampling, including dominated sets within a margin.
//
// A search needs no dominated set, which scores less than one of its subsets: it would never choose
// it. A sum over networks does, because a hundred such sets can have more weight than the subset. A
// set is pruned only if one of its subsets scores more than `margin` nats above it. The subset is
// possible wherever the set is, so the set has less than exp(-margin) of its weight. If statements
// about paths may need an arc, the set is compared only with subsets that contain the arc as well.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "common/budget.h"
#include "common/parallel.h"
#include "common/parentsets.h"
#include "scoring/engine.h"
#include "scoring/familyscores.h"
#include "scoring/neighbors.h"
#include "scoring/table.h"
#include "scoring/score.h"

namespace forebear {

struct WideningOptions {
    std::vector<int32_t> max_parents;  ///< by variable
    double margin = 0.0;               ///< nats
    int complete = 0;                  ///< all sets of up to this many parents are scored
    int largest = 0;                   ///< sets of this many parents are expanded by grow() only
    int64_t most_expanded = 0;         ///< sets per variable whose neighbors are scored beyond
    int64_t most_sets = 0;             ///< kept per variable
    std::vector<uint8_t> useful;       ///< [child * n + parent]: arcs that statements may need
    int needing = 0;                   ///< the number of these statements
};

struct WideSet {
    double score;
    std::vector<uint16_t> members;
    bool explored = false;  ///< whether all sets with one parent more were scored, if allowed
};

/// The sets of one variable, best first.
struct WideSets {
    std::vector<WideSet> sets;
    int64_t cut = 0;  ///< the number of sets beyond most_sets, which were removed
};

class Widening {
public:
    Widening(std::shared_ptr<const PackedTable> packed, ScoreOptions score, Constraints constraints,
             WideningOptions options, Team& team);

    /// Widens the sets of every variable, beginning with those of `first`. If the budget is spent,
    /// variables have fewer sets.
    std::vector<WideSets> widen(const ParentSetsView<uint16_t>& first, Team& team,
                                const Budget& budget);
    /// Adds the neighbors of the sets marked by `used`: sets with one parent more or less.
    /// `explored` and `used` have one entry per set.
    std::vector<WideSets> grow(const ParentSetsView<uint16_t>& all,
                               std::span<const uint8_t> explored, std::span<const uint8_t> used,
                               Team& team, const Budget& budget);
    int n() const { return packed_->table().n_variables(); }

private:
    friend class WideVariable;
    template <class Find>
    std::vector<WideSets> for_all(Team& team, const Find& find);

    std::shared_ptr<const PackedTable> packed_;
    Constraints constraints_;
    WideningOptions options_;
    std::atomic<int64_t> score_bytes_{0};
    FamilyScores scores_;
    std::vector<NeighborData> data_;  // by table
    std::vector<uint64_t> keys_;
};

}  // namespace forebear
