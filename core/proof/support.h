// A relaxed solution: for each variable, the parent sets that have a weight.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "common/index.h"

namespace forebear {

struct SupportSet {
    double weight;
    std::vector<int> members;  ///< ascending
};

class Support {
public:
    /// `parents` has one row of `slots` numbers per set; any number that is no variable is an
    /// unused place. Sets that cannot be on a cycle of the solution are left out.
    Support(int n, std::span<const int32_t> child, std::span<const int32_t> parents, int slots,
            std::span<const double> weight);

    int n() const { return static_cast<int>(sets_.size()); }
    const std::vector<SupportSet>& of(int v) const { return sets_[index(v)]; }
    /// The variables that are on some cycle of the solution.
    const std::vector<int>& cyclic() const { return cyclic_; }
    /// The weight of each arc, by child and then by parent.
    double arc(int child, int parent) const { return arcs_[index(child) * sets_.size() + index(parent)]; }

private:
    std::vector<std::vector<SupportSet>> sets_;
    std::vector<int> cyclic_;
    std::vector<double> arcs_;
};

}  // namespace forebear
