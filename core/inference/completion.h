// Rows with gaps under a network with probabilities: how likely they are, and what the missing
// values may have been.
//
// The missing variables of a row are eliminated one by one. What is left is the probability of the
// observed values. Going back, the missing values are drawn from their joint distribution given the
// observed ones. Rows for which the tables of elimination would become too large are completed by
// Gibbs sampling; their probability is not known.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "common/index.h"
#include "common/random.h"

namespace forebear {

/// A network with probabilities. `tables[v]` has the parents of v as axes, in their order, and v as
/// the last, which varies fastest.
struct Probabilities {
    std::vector<int32_t> arities;
    std::vector<std::vector<int32_t>> parents;
    std::vector<std::vector<double>> tables;
    int n() const { return static_cast<int>(arities.size()); }
};

/// One thread's working memory.
class Completion {
public:
    explicit Completion(const Probabilities& network);

    /// Takes a row: one code per variable, of which those equal to the arity are gaps. Returns the
    /// log-probability of the observed values, or NaN if it takes too large tables.
    double take(std::span<const int32_t> row);
    /// Draws the missing values of the row as many times as there are `copies`, which hold one row
    /// after another.
    void draw(std::span<const int32_t> row, int copies, Random& random, int32_t* out);

private:
    /// A function of some missing variables; the first varies fastest.
    struct Factor {
        std::vector<int> scope;
        std::vector<double> values;
    };

    void slice(int v, std::span<const int32_t> row);
    bool eliminate(int variable);
    int cheapest(std::span<const uint8_t> left) const;
    double cells_of(int variable) const;
    void draw_exactly(int copies, Random& random, int32_t* out);
    void draw_by_gibbs(int copies, Random& random, int32_t* out);
    double conditional(int v, int32_t state, const int32_t* row) const;

    const Probabilities& network_;
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
