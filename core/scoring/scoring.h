// A scoring run: from a table to the ranked parent sets of every variable.
#pragma once

#include <limits>
#include <memory>
#include <vector>

#include "scoring/engine.h"
#include "scoring/records.h"

namespace forebear {

struct ScoringOptions {
    int max_parents = 3;
    int threads = 1;
    int64_t max_sets = 0;  ///< kept per variable; 0: all
    bool together =
        true;  ///< one walk for all variables, or one per variable over its allowed parents
    int first_member = 0, last_member = INT_MAX;  ///< a part of the run (EngineOptions)
};

class Scoring {
public:
    Scoring(std::shared_ptr<const PackedTable> packed, ScoreOptions score, Constraints constraints,
            ScoringOptions options);

    /// Counts, scores and prunes. Returns why it stopped early, or Stop::none.
    Stop run(const Budget& budget);
    /// The number of sets of every variable, once run.
    std::vector<int64_t> counts() const;
    int slots() const { return options_.max_parents; }
    /// Ranks the sets of every variable, writes them and frees them. The arrays are laid out as in
    /// ParentSetsView; the sets of variable v go to [offsets[v], offsets[v + 1]).
    template <class Id>
    void write(std::span<const int64_t> offsets, double* scores, Id* parents, int64_t total);

    Control control;

private:
    void run_each();
    bool has_required(int v) const;
    int64_t count(int v) const;  // of the sets that were kept
    int64_t empty_score(int v);  // MIT: the score of the empty set, in fixed point

    std::shared_ptr<const PackedTable> packed_;
    const Table& table_;
    Constraints constraints_;
    ScoringOptions options_;
    Score score_;
    Packing packing_;
    std::vector<std::unique_ptr<RecordArena>> arenas_;  // of each thread
    std::vector<std::vector<RecordList>> lists_;  // by thread, then by variable
};

}  // namespace forebear
