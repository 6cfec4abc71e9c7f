// Is a point a mixture of acyclic choices? If not, which inequality separates it best?
#pragma once

#include <cstdint>
#include <vector>

#include "proof/acyclic.h"

namespace forebear {

/// The weight with which a variable of a group has these parents, a nonempty subset of the group.
struct GroupChoice {
    int variable;
    size_t parents;
    double weight;
};

/// Finds coefficients in [0, 1], one per choice, whose weighted sum exceeds that of any acyclic
/// combination of choices by as much as possible. Empty if that is less than `violated`.
std::vector<double> separate_from_hull(int size, const std::vector<GroupChoice>& choices,
                                       double violated);

}  // namespace forebear
