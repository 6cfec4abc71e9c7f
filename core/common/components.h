// Strongly connected components of a directed graph.
#pragma once

#include <vector>

namespace forebear {

/// Lists the strongly connected components, each after those that it has arcs to. `arcs[v]` are the
/// vertices to which v has an arc. By the algorithm of Tarjan (1972), without recursion.
std::vector<std::vector<int>> strong_components(const std::vector<std::vector<int>>& arcs);

}  // namespace forebear
