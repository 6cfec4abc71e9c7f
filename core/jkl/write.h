// Writing candidate parent sets as .jkl text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace forebear::jkl {

/// A look at the flat arrays of ParentSets, which has checked them.
template <class Index>
struct SetsView {
    std::span<const std::string> names;
    std::span<const std::int64_t> offsets;
    std::span<const double> scores;
    const Index* parents;  // `slots` rows of scores.size()
    std::size_t slots;
};

/// The lines of the sets `begin`..`end`, each variable's opening line before its
/// first set. Sets of score minus infinity are left out. Pieces put one after
/// the other give the whole file after its first line.
/// Throws std::invalid_argument if a variable has nothing to write.
template <class Index>
std::string format(const SetsView<Index>& sets, std::size_t begin, std::size_t end);

}  // namespace forebear::jkl
