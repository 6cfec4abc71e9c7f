// The ranked parent sets of all variables as flat arrays, and a check that they are valid.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <string>

namespace forebear {

/// The arrays of ParentSets in Python, which must outlive this. The sets of variable v are at
/// [offsets[v], offsets[v + 1]), best first, with the empty set among them.
template <class Id>
struct ParentSetsView {
    /// The id in unused slots.
    static constexpr Id kNone = std::numeric_limits<Id>::max();

    std::span<const int64_t> offsets;
    std::span<const double> scores;
    const Id* parents;  ///< one row per slot: all first parents, all second ones, ...
    int slots;

    int n() const { return static_cast<int>(offsets.size()) - 1; }
    int64_t total() const { return static_cast<int64_t>(scores.size()); }
    const Id* row(int slot) const { return parents + slot * total(); }
    /// The parent in a slot of the set with this index in the arrays.
    Id parent(int slot, int64_t place) const { return row(slot)[place]; }
};

/// Describes the first defect of parent sets; returns an empty string if they are valid.
template <class Id>
std::string find_defect(const ParentSetsView<Id>& sets, int threads);

}  // namespace forebear
