// Rows with missing values under a network with probabilities: their likelihood, and draws of the
// missing values.
//
// Eliminating the missing variables of a row one by one gives the probability of the observed
// values. In reverse order, the missing values are drawn from their joint distribution given the
// observed ones. If the tables of the elimination would become too large, the row is completed by
// Gibbs sampling; its probability is then unknown.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "common/index.h"
#include "common/random.h"

namespace forebear {

/// The probabilities of one variable given its parents. The cells of the table have the parents as
/// axes, in their order, and the variable as the last, which varies fastest.
struct ConditionalTable {
    /// All cells, or the rows of some configurations of the parents.
    std::span<const double> values;
    /// The numbers of these configurations, ascending. Under the others, all states are equally
    /// probable. This allows tables that do not fit in memory, of which few configurations occur.
    std::span<const int64_t> configurations;
    bool is_whole = true;
    int32_t arity = 1;

    double at(size_t cell) const {
        if (is_whole) return values[cell];
        const auto row = static_cast<int64_t>(cell / index(arity));
        const auto found = std::lower_bound(configurations.begin(), configurations.end(), row);
        if (found == configurations.end() || *found != row) return 1.0 / arity;
        return values[index(found - configurations.begin()) * index(arity) + cell % index(arity)];
    }
};

/// A network with probabilities.
struct NetworkTables {
    std::vector<int32_t> arities;
    std::vector<std::vector<int32_t>> parents;
    std::vector<ConditionalTable> tables;
    int n() const { return static_cast<int>(arities.size()); }
};

/// One thread's working memory.
class Completion {
public:
    explicit Completion(const NetworkTables& network);

    /// Starts a row: one code per variable; a code equal to the arity is a missing value. Returns
    /// the log-probability of the observed values, or NaN if that requires too large tables.
    double start_row(std::span<const int32_t> row);
    /// Draws the missing values of the row for every copy. `out` has one copy of the row after
    /// another.
    void draw(std::span<const int32_t> row, int copies, Random& random, int32_t* out);

private:
    /// A function of some missing variables; the first varies fastest.
    struct Factor {
        std::vector<int> scope;
        std::vector<double> values;
    };

    template <class Visit>
    void for_each_cell(const std::vector<int>& scope, const std::vector<size_t>& strides, size_t at,
                       const Visit& visit) const;
    bool slice(int v, std::span<const int32_t> row);
    bool eliminate(int variable);
    int cheapest(std::span<const uint8_t> left) const;
    double cells_of(int variable) const;
    void draw_exactly(int copies, Random& random, int32_t* out);
    void draw_by_gibbs(int copies, Random& random, int32_t* out);
    double conditional(int v, int32_t state, const int32_t* row) const;

    const NetworkTables& network_;
    std::vector<std::vector<int32_t>> children_;
    std::vector<int> missing_;
    std::vector<Factor> factors_;
    std::vector<Factor> eliminated_;
    bool exact_ = true;
    double log_probability_ = 0.0;
    mutable std::vector<uint8_t> marks_;
    std::vector<double> weights_;
    std::vector<int> strata_;
};

}  // namespace forebear
