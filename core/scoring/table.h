// A data set and its gaps.
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

    int n_variables() const { return static_cast<int>(arities.size()); }
};

}  // namespace forebear
