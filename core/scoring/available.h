// Scores of families over the rows in which all their variables are observed.
//
// Families with different gaps have different rows, so their scores do not compare. Two families
// that differ by one parent do compare on the rows of the larger one. So the value of a family is
// built from the values of smaller ones:
//
//   value(x | nothing) = N / N_x * score on the N_x rows where x is observed
//   value(x | P) = min over u in P of value(x | P - u) + N / N_S * (gain of u on the N_S rows
//                  where x and all of P are observed)
//
// A parent has to pay for itself on the rows where the whole family is observed. Without gaps this
// is the ordinary score. tests/support/naive_gaps.py has the same definition in Python.
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "common/index.h"
#include "scoring/kernels.h"
#include "scoring/score.h"

namespace forebear {

/// The counts of a set of variables over the rows where all of them are observed.
class AvailableSums {
public:
    explicit AvailableSums(Score& score) : score_(score), shape_(score.shape()) {}

    /// Room for a contingency table of variables of these arities, to be filled by the caller; the
    /// first variable varies fastest.
    std::span<int32_t> make_table(std::span<const int32_t> arities);
    /// Called when the table is filled.
    void table_filled();

    /// A table with more cells than rows: one entry per cell that occurs. `words` has one random
    /// word for every entry and variable; the sum over the variables tells cells apart.
    void take_cells(std::span<const int32_t> arities, std::vector<int32_t>& counts,
                    std::vector<std::vector<uint64_t>>& words);

    /// The value of the family of one child, or kNeverKept. `smaller(u)` returns the value without
    /// parent u. Variables are given by their places in the set.
    template <class Smaller>
    int64_t value(int child, const Smaller& smaller) {
        if (arities_.size() == 1) return alone();
        if (count_ == 0) return kNeverKept;
        if (count_ == score_.counts() && !score_.relative_to_empty()) return own(child, -1);
        int64_t least = INT64_MAX;
        for (int u = 0; u < static_cast<int>(arities_.size()); ++u) {
            if (u == child) continue;
            const int64_t before = smaller(u), more = gain(child, u);
            if (before <= kNeverKept || more <= kNeverKept) return kNeverKept;
            if (before + more < least) least = before + more;
        }
        return least;
    }

    int64_t bytes() const;

private:
    int64_t alone();
    int64_t gain(int child, int parent);
    int64_t own(int child, int without);
    int64_t scaled(int64_t sum) const;
    /// The place of the table without these variables, each -1 for none; made if it is not there.
    size_t margin(int a, int b);
    void make_margin(size_t place, int a, int b);
    void sum_out(const std::vector<int32_t>& from, int axis, std::vector<int32_t>& to);
    void join_cells(int a, int b, std::vector<int32_t>& to);
    void reset(std::span<const int32_t> arities);
    double cells_without(int a, int b) const;
    int64_t set_sum(int a, int b);
    int64_t occupied(size_t place) const;
    int64_t total(const Term& term, size_t place) const;

    struct Sums {
        const Term* term = nullptr;
        int64_t constant = 0;
    };
    const Sums& sums(double cells);
    const Term& dirichlet(double cells);

    Score& score_;
    Shape shape_;
    std::vector<int32_t> arities_;
    int64_t count_ = 0;
    bool dense_ = true;
    // By place: the whole table, those without one variable, those without two.
    std::vector<std::vector<int32_t>> tables_;
    std::vector<uint8_t> ready_, summed_;
    std::vector<int64_t> set_sums_;
    // Cells that occur (take_cells).
    std::vector<std::vector<uint64_t>> words_;
    std::vector<uint64_t> keys_;
    std::vector<std::pair<uint64_t, int32_t>> joined_;
    std::vector<int32_t> parents_;
    std::vector<Sums> few_cells_;  // by number of cells
    std::unordered_map<double, Sums> many_cells_;
    std::unordered_map<double, const Term*> dirichlets_;
};

}  // namespace forebear
