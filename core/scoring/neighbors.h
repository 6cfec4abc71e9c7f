// Scores the neighbors of a parent set: the set with one more parent, for all candidates at once.
//
// The rows are split by the parents' configurations once. Each configuration, and each state of the
// child within it, is a bit vector. One pass over the columns counts all candidates. If there are
// too many configurations for bit vectors, or a candidate has too many states, rows are counted
// group by group instead.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "common/budget.h"
#include "scoring/available.h"
#include "scoring/engine.h"
#include "scoring/familyscores.h"
#include "scoring/table.h"
#include "scoring/partition.h"
#include "scoring/score.h"

namespace forebear {

/// The table and the score that all threads share.
struct NeighborData {
    const Table& table;
    Score& score;
    const Items& items;
};

/// The data of each table that families are scored on (PackedTable::at), in the same order.
std::vector<NeighborData> neighbor_data(const PackedTable& packed, const FamilyScores& scores,
                                        Team& team);

/// One thread's working memory.
class Neighbors {
public:
    explicit Neighbors(const NeighborData& data);
    /// One for each table.
    static std::vector<Neighbors> of_all(const std::vector<NeighborData>& data) {
        return {data.begin(), data.end()};
    }

    /// Scores child | parents + u for every u of `candidates`, in fixed point. `scores` has one
    /// place per candidate; kNeverKept where the penalty alone exceeds any gain. Returns false if
    /// the budget ended before all were scored.
    bool score(int child, std::span<const uint16_t> parents, std::span<const int32_t> candidates,
               int64_t* scores, BudgetOfRows& budget);
    /// Scores child | parents.
    int64_t score_set(int child, std::span<const uint16_t> parents);
    /// As above, where the rows are already split by the parents.
    int64_t score_split(int child, const Partition& split, std::span<const uint16_t> parents);

private:
    bool split(std::span<const uint16_t> parents, BudgetOfRows& budget);
    double set_parents(std::span<const uint16_t> parents);
    int64_t score_own(int child, std::span<const uint16_t> parents);
    bool mask_groups(int child, BudgetOfRows& budget);
    void gather_codes(int child);
    void count_by_bits(int u, int child);
    void count_by_groups(int u, int child);
    int64_t sum(int child, double configurations, std::span<const int32_t> parent_arities);
    struct Totals {
        int64_t cells, rows;  ///< of the set with the child, and of the set without it
    };
    Totals totals(const Term& cells, const Term& rows, int child_states) const;
    int64_t total(const Term& cells, const Term& rows, int child_states) const {
        const Totals found = totals(cells, rows, child_states);
        return found.cells - found.rows;
    }

    const NeighborData& data_;
    Partition partition_, coarse_;       // of the rows by the configuration of the parents
    std::vector<uint16_t> child_codes_;  // in the order of the partition
    // Per configuration, a mask of all rows and one per state of the child but the first.
    MaskCounts masks_;
    std::vector<int32_t> mask_totals_;
    // Counts laid out [configuration][state of u][state of child], without those of one row.
    std::vector<int32_t> counts_;
    std::vector<int32_t> arities_;
    TermCache terms_;
    size_t visited_ = 0;  // rows, cells and table entries since the last check of the budget
};

/// The same for tables with missing values. The value of a family is computed from the values of
/// all its subsets (available.h), which are stored. One thread's working memory.
class AvailableNeighbors {
public:
    /// The values of one child by the keys of its parent sets: sums of one word per variable.
    using Values = std::unordered_map<uint64_t, int64_t>;

    AvailableNeighbors(const NeighborData& data, std::span<const uint64_t> keys);

    /// The values of child | parents + u for every u of `candidates`, in fixed point. Returns false
    /// if the budget ended before all were found.
    bool score(int child, std::span<const uint16_t> parents, std::span<const int32_t> candidates,
               Values& values, int64_t* scores, BudgetOfRows& budget);

private:
    /// Returns nothing if the budget has ended.
    std::optional<int64_t> value(int child, std::span<const uint16_t> parents, Values& values,
                                 BudgetOfRows& budget);
    uint64_t key(std::span<const uint16_t> parents) const;
    bool mask_cells(BudgetOfRows& budget);
    void fill_by_bits(int u);

    const NeighborData& data_;
    std::span<const uint64_t> keys_;
    AvailableSums<1> available_;
    ObservedRows observed_;
    std::vector<int> members_;
    std::vector<int64_t> smaller_;  // of one candidate after another, without each of its parents
    MaskCounts masks_;  // by cell of parents and child
    std::vector<int32_t> arities_;
};

}  // namespace forebear
