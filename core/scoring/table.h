// A data set, its gaps, and the weights of its rows.
#pragma once

#include <cstdint>
#include <vector>

#include "common/index.h"
#include "scoring/partition.h"

namespace forebear {

/// The codes of each variable, and the number of its states.
struct Table {
    Codes codes;
    std::vector<int32_t> arities;
    /// Whether a code equal to the arity stands for a gap. Then families are scored on the rows
    /// where they are observed.
    bool gaps = false;
    /// The weight of a row for each variable, laid out as the codes; null: all weigh 1. The weight
    /// of a row for a family is the product over its members. Weights are logarithms to base 2,
    /// times kLogUnit, so that products do not depend on the order.
    const int16_t* weights = nullptr;
    static constexpr int kLogUnit = 256;

    int n_variables() const { return static_cast<int>(arities.size()); }
};

}  // namespace forebear
