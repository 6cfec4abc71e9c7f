// Writes parent sets as .jkl text.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "common/parentsets.h"

namespace forebear::jkl {

/// Parent sets, which must be valid, and the names of the variables.
template <class Index>
struct NamedSets {
    std::span<const std::string> names;
    ParentSetsView<Index> sets;
};

/// The lines of the sets [begin, end), with the first line of a variable before its first set. Sets
/// with score minus infinity are left out. Consecutive pieces together are the file without its
/// first line. Throws std::invalid_argument if a variable has no set to write.
template <class Index>
std::string format(const NamedSets<Index>& named, std::size_t begin, std::size_t end);

}  // namespace forebear::jkl
