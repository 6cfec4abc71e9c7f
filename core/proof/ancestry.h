// Propagation at a node of branch and cut: removes the parent sets that would close a cycle.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace forebear {

/// Parent sets of all variables, one row of `slots` numbers each; those of variable v are at
/// [starts[v], starts[v + 1]). Numbers that are not variables are unused places.
struct SetRows {
    std::span<const int64_t> starts;
    std::span<const int32_t> parents;
    int slots;

    int n() const { return static_cast<int>(starts.size()) - 1; }
};

/// Removes the allowed sets that no network has in which u precedes v for each pair (u, v). A variable
/// that all allowed sets of v contain precedes v, and so do the variables that precede it. No set of a
/// variable may contain one that comes later. Repeats until nothing changes. Returns false if some
/// variable has no allowed set left, or if the pairs form a cycle.
bool propagate_ancestry(const SetRows& sets, std::span<const std::pair<int, int>> before,
                        std::span<uint8_t> allowed);

}  // namespace forebear
