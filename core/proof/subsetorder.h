// The best order of up to some thirty variables, by dynamic programming over sets of variables.
//
// The best network of a set of variables S has a variable that comes last: it has its cheapest
// parents among the others, and the others form the best network of theirs (Silander and Myllymäki,
// 2006):
//
//     F(S) = min over v in S of  F(S - v) + least cost of v with parents in S - v
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "common/budget.h"
#include "common/parallel.h"

namespace forebear {

/// The parent sets of one variable as bit masks, with costs. Costs are whole numbers, so that sums
/// below 2^53 are exact.
struct MaskedCosts {
    std::span<const uint32_t> masks;
    std::span<const double> costs;
};

struct BestOrder {
    double cost;             ///< infinite if no network is allowed
    std::vector<int> order;  ///< empty then
};

/// The bytes that a SubsetOrder needs.
uint64_t bytes_of_best_order(int n, int threads);

/// F is filled block by block. A block fixes which of the high variables are in S, so the least costs
/// are tabulated for the low variables only.
class SubsetOrder {
public:
    /// Low variables: the tables of a block, one per low variable, then fit into the second-level
    /// cache (14 tables of 128 KB).
    static constexpr int kLowBits = 14;

    explicit SubsetOrder(std::vector<MaskedCosts> variables, int low = kLowBits);
    ~SubsetOrder();

    /// Works until all is done or the budget is spent; returns whether all is done.
    bool advance(const Budget& budget, Team& team);
    /// When all is done: the order of the cheapest network. Of several, that whose last variable has
    /// the smallest index, then the last but one, and so on.
    BestOrder order() const;

private:
    class Grouped;

    double most(int v, size_t members) const;
    void fill_block(uint32_t block, std::vector<double>& tables);

    int n_, low_;
    std::vector<MaskedCosts> variables_;
    std::vector<Grouped> grouped_;
    // The blocks by the number of high variables: those of a layer do not depend on each other.
    std::vector<std::vector<uint32_t>> layers_;
    size_t layer_ = 0, position_ = 0;
    std::unique_ptr<double[]> best_;
};

}  // namespace forebear
