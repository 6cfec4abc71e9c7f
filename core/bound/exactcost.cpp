#include "bound/exactcost.h"

#include <algorithm>
#include <vector>

#include "common/components.h"
#include "common/index.h"

namespace forebear {

namespace {

template <class Visit>
void visit_kept(const BoundSets& sets, const Kept& kept, int v, const Visit& visit) {
    const int count = kept.all ? sets.count(v) : static_cast<int>(kept.ranks.size());
    for (int i = 0; i < count; ++i) visit(kept.all ? i : kept.ranks[index(i)]);
}

/// The parents of each variable in any of its sets.
std::vector<std::vector<int>> possible_parents(const BoundSets& sets, std::span<const Kept> kept) {
    const int n = sets.n();
    std::vector<std::vector<int>> parents(index(n));
    std::vector<int> seen_by(index(n), -1);
    for (int v = 0; v < n; ++v)
        visit_kept(sets, kept[index(v)], v, [&](int rank) {
            for (int k = 0; k < sets.slots(); ++k) {
                const uint16_t p = sets.parent(v, k, rank);
                if (p == kNoParent) break;
                if (seen_by[p] == v) continue;
                seen_by[p] = v;
                parents[index(v)].push_back(p);
            }
        });
    return parents;
}

/// For every subset of a component: the cost of v if its parents in the component are in the
/// subset.
std::vector<int64_t> costs_within(const BoundSets& sets, const Kept& kept, int v,
                                  std::span<const int> place, size_t size) {
    std::vector<int64_t> costs(size_t{1} << size, kNoNetwork);
    visit_kept(sets, kept, v, [&](int rank) {
        size_t members = 0;
        for (int k = 0; k < sets.slots(); ++k) {
            const uint16_t p = sets.parent(v, k, rank);
            if (p != kNoParent && place[p] >= 0) members |= size_t{1} << place[p];
        }
        costs[members] = std::min(costs[members], sets.cost(v, rank));
    });
    for (size_t b = 0; b < size; ++b)
        for (size_t s = 0; s < costs.size(); ++s)
            if (s >> b & 1) costs[s] = std::min(costs[s], costs[s ^ size_t{1} << b]);
    return costs;
}

/// The cost of the cheapest network of a component, by dynamic programming over the subsets: some
/// member comes last, after the cheapest network of the others (Silander and Myllymäki, 2006).
int64_t component_cost(const BoundSets& sets, std::span<const Kept> kept,
                       std::span<const int> members, std::span<const int> place) {
    std::vector<std::vector<int64_t>> costs;
    for (int v : members)
        costs.push_back(costs_within(sets, kept[index(v)], v, place, members.size()));
    std::vector<int64_t> best(size_t{1} << members.size(), kNoNetwork);
    best[0] = 0;
    for (size_t s = 1; s < best.size(); ++s)
        for (size_t b = 0; b < members.size(); ++b)
            if (const size_t before = s ^ size_t{1} << b; s >> b & 1)
                best[s] = std::min(best[s], best[before] + costs[b][before]);
    return best.back();
}

}  // namespace

std::optional<int64_t> exact_cost(const BoundSets& sets, std::span<const Kept> kept, int largest) {
    const auto parents = possible_parents(sets, kept);
    const auto components = strong_components(parents);
    for (const auto& members : components)
        if (members.size() > index(largest)) return std::nullopt;
    std::vector<int> place(index(sets.n()), -1);
    int64_t total = 0;
    for (const auto& members : components) {
        for (size_t i = 0; i < members.size(); ++i) place[index(members[i])] = static_cast<int>(i);
        total = std::min(kNoNetwork, total + component_cost(sets, kept, members, place));
        for (int v : members) place[index(v)] = -1;
    }
    return total;
}

}  // namespace forebear
