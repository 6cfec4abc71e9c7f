// A scoring run: from a table to the ranked parent sets of every variable.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "scoring/engine.h"
#include "scoring/familyscores.h"
#include "scoring/records.h"

namespace forebear {

/// The base of all runs: a table, a score, constraints, and the kept sets. Derived classes
/// determine how families are visited.
class Scoring {
public:
    virtual ~Scoring() = default;
    Scoring(const Scoring&) = delete;
    Scoring& operator=(const Scoring&) = delete;

    /// Counts, scores and prunes. Returns why it stopped early, or Stop::none.
    Stop run(const Budget& budget);
    /// The number of sets of every variable, after the run.
    std::vector<int64_t> counts() const;
    /// The number of parents of the largest set, after the run.
    virtual int slots() const = 0;
    /// Ranks the sets of every variable, writes them and frees them. The arrays are laid out as in
    /// ParentSetsView; the sets of variable v go to [offsets[v], offsets[v + 1]).
    template <class Id>
    void write(std::span<const int64_t> offsets, double* scores, Id* parents, int64_t total);

    Control control;

protected:
    Scoring(std::shared_ptr<const PackedTable> packed, ScoreOptions score, Constraints constraints,
            ScoringOptions options);

    virtual void walk(Team& team) = 0;
    /// Writes the members of a record's set, ascending. Returns their number.
    virtual int unpack(uint64_t parents, int* members) const = 0;
    bool has_required(int v) const;

    std::shared_ptr<const PackedTable> packed_;
    const Table& table_;
    Constraints constraints_;
    ScoringOptions options_;
    FamilyScores scores_;
    std::vector<std::unique_ptr<RecordArena>> arenas_;  // of each thread
    std::vector<std::vector<RecordList>> lists_;        // by thread, then by variable

private:
    template <class Id>
    void write_one(int v, Record* room, int64_t begin, int64_t end, double* scores, Id* parents,
                   int64_t total);
    int64_t count(int v) const;  // of the sets that were kept
    int64_t empty_score(int v);  // MIT: the score of the empty set, in fixed point
};

/// Scores all sets of up to max_parents.
class LimitedScoring final : public Scoring {
public:
    LimitedScoring(std::shared_ptr<const PackedTable> packed, ScoreOptions score,
                   Constraints constraints, ScoringOptions options);
    int slots() const override { return options_.max_parents; }

private:
    void walk(Team& team) override;
    void walk_alone(int child, int thread);
    int unpack(uint64_t parents, int* members) const override;
    Packing packing_;
};

}  // namespace forebear
