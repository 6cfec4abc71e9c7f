// A data set.
#pragma once

#include <cstdint>
#include <vector>

#include "common/index.h"

namespace forebear {

/// The codes of all variables, one column after another, of one or two bytes each.
struct Codes {
    const uint8_t* narrow = nullptr;
    const uint16_t* wide = nullptr;
    int64_t rows = 0;

    template <class Visit>
    decltype(auto) visit(int variable, Visit&& visitor) const {
        const int64_t start = variable * rows;
        return narrow ? visitor(narrow + start) : visitor(wide + start);
    }
};

/// The codes of each variable, and the number of its states.
struct Table {
    Codes codes;
    std::vector<int32_t> arities;
    /// Whether a code equal to the arity stands for a missing value. Then families are scored on
    /// the rows where they are observed.
    bool missing = false;

    int n_variables() const { return static_cast<int>(arities.size()); }
};

}  // namespace forebear
