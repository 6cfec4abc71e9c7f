// Finds local cuts: inequalities over a small group of variables, by their parents in the group.
//
// Restrict the parent sets of a relaxed solution to a group. If the result is no mixture of acyclic
// choices (hull.h), there are coefficients that separate it from all of them. They are rounded to
// whole numbers, the largest value of any acyclic choice is computed exactly, and coefficients are
// raised as far as that value permits, so that a small change of the solution does not evade the
// cut.
#pragma once

#include <cstdint>
#include <vector>

#include "common/budget.h"
#include "common/parallel.h"
#include "proof/support.h"

namespace forebear {

struct LocalCut {
    std::vector<int> group;  ///< ascending
    /// By variable and subset of the group: the coefficient of a set with these members.
    std::vector<int64_t> values;
    int64_t limit;     ///< no network exceeds this
    double violation;  ///< by which the solution exceeds it, as a share of the largest coefficient
};

struct GroupLimits {
    int variables;  ///< of a group
    int choices;    ///< different parent sets within a group
};

/// Finds violated local cuts around each variable that has a fractional arc, and around each of
/// these arcs.
std::vector<LocalCut> find_local_cuts(const Support& support, const GroupLimits& limits,
                                      const Budget& budget, Team& team);

}  // namespace forebear
