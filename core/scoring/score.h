// Local scores as sums of tabulated terms over the cells of a contingency table.
// Every score here is score(x | P) = F(P + x) - G(P), where F and G sum a
// function of the count over the non-empty cells and add a constant. The sums
// are kept in fixed point: integers add up to the same number in any order, so
// results do not depend on threads, blocking or instruction set, and equal
// scores compare equal.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "common/index.h"
#include "scoring/kernels.h"
#include "scoring/table.h"

namespace forebear {

/// A function of a count, in fixed point. Small counts are tabulated, larger ones computed.
class Term {
public:
    /// Writes the values of the counts from `begin` to `end`.
    using Values = std::function<void(int64_t begin, int64_t end, int64_t* out)>;
    Term(Values values, int64_t length);

    /// Fills the table; all threads that call this share the work. Returns when it is filled.
    void fill();

    int64_t operator()(int32_t count) const {
        return index(count) < length_ ? table_[index(count)] : compute(count);
    }
    const int64_t* table() const { return table_.get(); }
    size_t length() const { return length_; }

private:
    int64_t compute(int64_t count) const;
    Values values_;
    size_t length_;
    std::unique_ptr<int64_t[]> table_;
    std::atomic<size_t> next_{0}, filled_{0};  // entries that threads have taken, and filled
};

enum class Kind { bdeu, bds, k2, ll, aic, bic, fnml, qnml, mit };

/// How F and G depend on the child.
enum class Shape {
    set_function,  ///< F = G, a function of the set alone
    by_arity,      ///< G depends on the child's number of states
    by_child,      ///< F depends on which member is the child (BDs)
};

struct ScoreOptions {
    Kind kind = Kind::bdeu;
    std::vector<double> ess{1.0};  ///< BDeu, BDs; BDeu averages over several
    std::map<double, double> chi_squared{};  ///< MIT: critical value by degrees of freedom
    /// The log prior of a set by its number of parents: it starts with 0 and never increases.
    /// Empty: none.
    std::vector<double> prior{};
};

/// One score on one data set: which terms to sum, and the unit of the fixed point.
class Score {
public:
    /// The size of the tables is added to `bytes`.
    Score(ScoreOptions options, const PackedTable& packed, int max_parents,
          std::atomic<int64_t>& bytes);

    Shape shape() const;
    static constexpr size_t kMostSizes = 8;  ///< equivalent sample sizes to average over
    /// The number of equivalent sample sizes. F and G average over several.
    size_t sizes() const { return options_.ess.size(); }
    /// The term of F for a set of `cells` cells; also that of G for set functions.
    const Term& cells(double cells, size_t size = 0);
    /// The number of cells over which the first size spreads as much to each as this one.
    double equal_cells(double cells, size_t size) const {
        return cells * (options_.ess[0] / options_.ess[size]);
    }
    /// F of a set with `count` counts, from the sums over its cells by size; changes the sums.
    int64_t mean(int64_t* sums, int64_t constant, int64_t count) const {
        if (constant == kNeverKept) return kNeverKept;
        return sizes() == 1 ? sums[0] + constant : log_of_sum(sums, count);
    }
    /// The term of G for a child of that many states (by_arity).
    const Term& configurations(int child_arity);
    /// The term of a Dirichlet prior spread over `cells` cells (by_child).
    const Term& dirichlet(double cells);
    /// The constant that F adds for a set of that many cells, and G too for set functions.
    int64_t constant(double cells);
    /// The constant that G adds for a child and parents of these arities (by_arity).
    int64_t penalty(int child_arity, std::span<const int32_t> parent_arities) const;

    /// The log prior of a set of this many parents, which is part of its score.
    int64_t prior(size_t parents) const { return priors_.empty() ? 0 : priors_[parents]; }
    /// What F adds for a set of this many variables, so that F - G includes the prior of a family.
    int64_t prior_of_set(size_t size) const { return set_priors_.empty() ? 0 : set_priors_[size]; }

    /// The unit of all sums is 2^-scale_bits.
    int scale_bits() const { return scale_bits_; }
    bool relative_to_empty() const { return options_.kind == Kind::mit; }
    /// The largest count, which is that of all rows.
    int64_t counts() const { return counts_; }

private:
    using Function = std::function<long double(long double rows)>;
    const Term& term(double key, Function function);
    const Term& term_of(double key, const Term::Values& values, int64_t longest);
    int64_t table_length(int64_t longest);  ///< of the next table, within kTableBytes
    void account(int64_t bytes);
    void set_prior();
    int64_t log_of_sum(int64_t* sums, int64_t count) const;
    double regret(double cells);
    long double pair_regret(long double rows) const;  ///< between whole numbers by interpolation

    ScoreOptions options_;
    const PackedTable& packed_;
    int64_t counts_;
    int64_t rows_;
    int scale_bits_;
    mutable std::mutex mutex_;
    std::unordered_map<double, std::unique_ptr<Term>>
        terms_;  ///< by number of cells; those of configurations() by minus the arity
    std::vector<long double> log_pair_regret_;  ///< log C(2, n), for fNML
    std::vector<double> regrets_;               ///< log C(r, rows) by r, for qNML
    std::vector<int64_t> priors_, set_priors_;  ///< by number of parents, and by size of the set
    std::vector<const Term*> normalizers_;  ///< by equivalent sample size, if there are several
    int64_t table_bytes_ = 0;
    std::atomic<int64_t>& bytes_;
};

/// The terms that one thread has used, to find them without a lock.
class TermCache {
public:
    /// The terms of sets of at most this many cells are found by their index, not by a hash: 64 KB
    /// per equivalent sample size.
    static constexpr double kFewCells = 4096;

    explicit TermCache(Score& score) : score_(score) {}

    struct Sum {  ///< of a set: F, and G too for set functions
        const Term* term = nullptr;
        int64_t constant = 0;
    };
    Sum of_cells(double cells, size_t size = 0);
    /// F of a set with that many cells and counts; G too for set functions. `total` sums a term over
    /// the cells.
    template <class Total>
    int64_t sum(double cells, int64_t count, const Total& total) {
        int64_t sums[Score::kMostSizes], constant = 0;
        for (size_t size = 0; size < score_.sizes(); ++size) {
            const Sum own = of_cells(cells, size);
            constant = own.constant;
            sums[size] = total(*own.term);
        }
        return score_.mean(sums, constant, count);
    }
    const Term& configurations(int child_arity);
    const Term& dirichlet(double cells);
    /// The number of table entries computed since the last call, as a measure of time.
    size_t take_filled() { return std::exchange(filled_, 0); }
    int64_t bytes() const { return static_cast<int64_t>(few_.capacity() * sizeof(Sum)); }

private:
    using TermsByCells = std::unordered_map<double, const Term*>;

    Score& score_;
    std::vector<Sum> few_;  // by cells, then by equivalent sample size
    std::unordered_map<double, Sum> many_;
    TermsByCells configurations_, dirichlets_;
    size_t filled_ = 0;
};

/// log C(2, n) for n = 0..rows, where C(r, n) is the normalizer of the multinomial NML distribution
/// with r values and n samples (Kontkanen and Myllymäki, 2007).
std::vector<long double> log_pair_regrets(int64_t rows);
/// log C(r, n) for r = 0..last and one n, from log C(2, n).
std::vector<double> log_regrets(int64_t n, int64_t last, long double log_pair_regret);
/// log C(r, n) for one r and n, from log C(2, n).
double log_regret(long double n, int64_t r, long double log_pair_regret);

}  // namespace forebear
