// Scores the neighbours of a parent set: the set with one more parent, for all candidates at once.
//
// The rows are split by the parents' configurations once. Each configuration, and each of its parts
// by a state of the child, is a bit vector; one pass over the columns counts all candidates. Where
// the configurations are too many for bit vectors, or a candidate has too many states, rows are
// counted group by group instead.
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "common/budget.h"
#include "scoring/engine.h"
#include "scoring/items.h"
#include "scoring/score.h"

namespace forebear {

/// Nanoseconds, estimated for AVX-512: a popcount of one word of a mask with eight columns, and the
/// counting of one row of a group. They only decide which of two ways is used.
constexpr double kPopcount = 0.25, kRow = 1.2;

/// Masks are not made beyond this: they would leave the cache.
constexpr int64_t kMostMaskBytes = 8 << 20;

/// The table and the score that all threads share.
struct NeighbourData {
    const Table& table;
    Score& score;
    const Items& items;
};

/// One thread's working memory.
class Neighbours {
public:
    explicit Neighbours(const NeighbourData& data);

    /// Scores child | parents + u for every u of `candidates`, in fixed point. `scores` has one
    /// place per candidate; kNeverKept where the penalty alone exceeds any gain. Returns false if
    /// the budget ended before all were scored.
    bool score(int child, std::span<const uint16_t> parents, std::span<const int32_t> candidates,
               int64_t* scores, BudgetOfRows& budget);
    /// Scores child | parents.
    int64_t score_set(int child, std::span<const uint16_t> parents);

private:
    /// Counts per configuration of the parents, laid out [configuration][state of u][state of child].
    struct Counts {
        int32_t configurations = 0, candidate_states = 1;
        int64_t singles = 0;  // configurations of one row, which are not listed
        std::vector<int32_t> cells;
    };
    bool split(std::span<const uint16_t> parents, BudgetOfRows& budget);
    bool mask_groups(int child, BudgetOfRows& budget);
    void count_by_bits(int u, int child);
    void count_by_groups(int u, int child);
    bool by_bits(int child, size_t candidates) const;
    int64_t sum(int child, double configurations, std::span<const int32_t> parent_arities);
    const Term& cells(double number);
    const Term& dirichlet(double number);
    int64_t total(const Term& cells, const Term& rows, int child_states) const;

    const NeighbourData& data_;
    int n_;
    size_t words_;
    // The rows by configuration of the parents, those of one row left out.
    std::vector<uint32_t> rows_, next_rows_, starts_, next_starts_, histogram_;
    int64_t singles_ = 0;
    std::vector<uint16_t> child_codes_;  // in the order of rows_
    // Bit vectors: per configuration one for all rows and one per state of the child but the first.
    std::vector<uint64_t> masks_;
    std::vector<int32_t> mask_totals_;
    std::vector<std::vector<int32_t>> item_counts_;  // [mask][item]
    std::vector<int32_t*> out_;
    std::vector<const uint64_t*> vectors_;
    Counts counts_;
    std::vector<int32_t> arities_;
    std::unordered_map<double, const Term*> cells_, dirichlets_;  // found before, without a lock
    size_t visited_ = 0;  // rows, cells and entries of tables since the last look at the budget
};

}  // namespace forebear
