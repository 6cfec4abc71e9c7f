// Scores of families over the rows in which all their variables are observed.
//
// Families with different missing values have different rows, so their scores are not comparable.
// Two families that differ by one parent are comparable on the rows of the larger one. The value of
// a family is therefore built from the values of smaller ones:
//
//   value(x | nothing) = N / N_x * score on the N_x rows where x is observed
//   value(x | P) = min over u in P of value(x | P - u) + N / N_S * (gain of u on the N_S rows
//                  where x and all of P are observed)
//
// A parent must improve the score on the rows in which the whole family is observed. Without
// missing values, this is the ordinary score. tests/support/naive_missing.py has the same definition
// in Python.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "common/index.h"
#include "scoring/kernels.h"
#include "scoring/partition.h"
#include "scoring/score.h"
#include "scoring/table.h"

namespace forebear {

/// The counts of sets of variables over the rows where all of them are observed. `Lanes` sets are
/// handled at a time; their variables have the same numbers of states.
template <int Lanes>
class AvailableSums {
public:
    explicit AvailableSums(Score& score) : score_(score), shape_(score.shape()), terms_(score) {}

    /// Returns contingency tables of variables of these arities, [cell][lane], for the caller to
    /// fill; the first variable varies fastest.
    std::span<int32_t> make_table(std::span<const int32_t> arities);
    /// Must be called when the tables are filled.
    void table_filled();

    /// A set with too many cells for a table: its variables, and the rows where all are observed.
    void take_rows(const Table& table, std::span<const int> members, std::span<const uint32_t> rows)
        requires(Lanes == 1);

    /// Writes the values of the families of one child, or kNeverKept. `smaller(u)` returns where
    /// the values without parent u are. Variables are given by their places in the set.
    struct Values {
        const int64_t* first;
        size_t step = 1;  ///< from lane to lane: 0 if they are the same for all
    };
    template <class Smaller>
    void find_values(int child, const Smaller& smaller, int64_t* values) {
        if (arities_.size() == 1) return find_alone(values);
        if (!begin(child, values)) return;
        for (int u = 0; u < static_cast<int>(arities_.size()); ++u)
            if (u != child) lower(child, u, smaller(u), values);
    }

    int64_t bytes() const;

private:
    void reset(std::span<const int32_t> arities);
    void find_alone(int64_t* values);
    bool begin(int child, int64_t* values);
    void lower(int child, int parent, Values before, int64_t* values);
    /// Returns whether the value of a lane is the ordinary score.
    bool is_complete(size_t lane) const {
        return counts_[lane] == score_.counts() && !score_.relative_to_empty();
    }
    int64_t scaled(int64_t sum, size_t lane) const;
    void score(int child, int without, int64_t* scores);
    /// The place of the tables without these variables (-1 for none), which are created if needed.
    size_t margin(int a, int b);
    void sum_out(const std::vector<int32_t>& from, int axis, std::vector<int32_t>& to);
    void count_groups(int a, int b, std::vector<int32_t>& to);
    double cells_without(int a, int b) const;
    const int64_t* set_sums(int a, int b);
    void add_up(const Term& term, const std::vector<int32_t>& cells, int64_t* sums) const;

    Score& score_;
    Shape shape_;
    TermCache terms_;
    std::vector<int32_t> arities_;
    int64_t counts_[Lanes] = {};
    double ratios_[Lanes] = {};
    int64_t whole_[Lanes] = {};  // the scores of the child in `begin`
    // By place: the whole table, those without one variable, those without two.
    std::vector<std::vector<int32_t>> tables_;
    std::vector<uint8_t> ready_, summed_;
    std::vector<int64_t> set_sums_;  // [place][lane]
    // Sets with too many cells; else there is no table.
    const Table* table_ = nullptr;
    std::span<const int> members_;
    std::span<const uint32_t> rows_;
    Partition partition_, coarse_;
    std::vector<int32_t> parents_;
};

/// The rows where some variables are all observed, and counts of them row by row: for sets with too
/// many cells for bit vectors.
class ObservedRows {
public:
    explicit ObservedRows(const Table& table) : table_(table) {}

    /// Finds the rows where these variables are all observed, and their cells.
    void prepare(std::span<const int> members);
    /// Counts the prepared variables and one more, which comes last.
    void count(int variable, AvailableSums<1>& sums);

    /// Of the prepared variables: their cells, the rows where all are observed, and the cell of
    /// each of these rows (where the cells are few).
    double cells() const { return cells_; }
    std::span<const uint32_t> rows() const { return rows_; }
    std::span<const uint32_t> places() const { return places_; }

    int64_t bytes() const;

private:
    const Table& table_;
    std::vector<int> members_;      // the last place is for the one that is counted with them
    std::vector<int32_t> arities_;  // as above
    double cells_ = 1.0;
    // Of the rows where all members are observed:
    std::vector<uint32_t> rows_;
    std::vector<uint32_t> places_;  // the cell of each, where the cells are few
    std::vector<uint32_t> common_;  // those where the one that is counted is observed, too
};

}  // namespace forebear
