// A relaxed solution: for each variable, the parent sets that have a weight.
#pragma once

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
    /// `parents` has one row of `slots` numbers per set; numbers that are not variables are
    /// unused places.
    Support(int n, std::span<const int32_t> child, std::span<const int32_t> parents, int slots,
            std::span<const double> weight);

    int n() const { return static_cast<int>(sets_.size()); }
    const std::vector<SupportSet>& of(int v) const { return sets_[index(v)]; }
    /// The variables that may be on a cycle of the solution: each has a parent and a child here.
    const std::vector<int>& cyclic() const { return cyclic_; }

private:
    std::vector<std::vector<SupportSet>> sets_;
    std::vector<int> cyclic_;
};

/// The weight of each arc of a solution.
class ArcWeights {
public:
    explicit ArcWeights(const Support& support);
    double operator()(int child, int parent) const {
        return weights_[index(child) * index(n_) + index(parent)];
    }

private:
    int n_;
    std::vector<double> weights_;
};

}  // namespace forebear
