#include "search/selection.h"

#include <algorithm>

#include "common/index.h"
#include "common/topology.h"

namespace forebear {

namespace {

/// Flags v and all its descendants as kBarred.
void exclude_descendants(int v, const std::vector<std::vector<int32_t>>& children,
                     std::vector<int32_t>& open, std::vector<uint8_t>& flags) {
    flags[index(v)] = kBarred;
    open.assign(1, v);
    while (!open.empty()) {
        const int w = open.back();
        open.pop_back();
        for (const int32_t child : children[index(w)]) {
            if (flags[index(child)] == kBarred) continue;
            flags[index(child)] = kBarred;
            open.push_back(child);
        }
    }
}

}  // namespace

std::vector<uint8_t> make_flags(const OrderSets& sets) {
    return std::vector<uint8_t>(index(std::max(256, sets.n() + kFlagPadding)), kFine);
}

int64_t best_sets(const OrderSets& sets, std::span<const int32_t> order, std::span<int32_t> ranks) {
    std::vector<uint8_t> flags = make_flags(sets);
    std::fill(flags.begin(), flags.begin() + sets.n(), kBarred);
    int64_t score = 0;
    for (const int32_t v : order) {
        ranks[index(v)] = sets.next_feasible(v, 0, sets.count(v), flags.data());
        score += sets.ticks(v, ranks[index(v)]);
        flags[index(v)] = kFine;
    }
    return score;
}

int write_parents(const OrderSets& sets, int v, int rank, int32_t* parents) {
    const int size = sets.parents(v, rank, parents);
    std::fill(parents + size, parents + sets.slots(), -1);
    return size;
}

std::vector<int32_t> acyclic_selection(const OrderSets& sets, std::span<const int32_t> order) {
    const int n = sets.n(), slots = sets.slots();
    std::vector<uint8_t> flags = make_flags(sets);
    std::vector<std::vector<int32_t>> children(index(n));
    std::vector<int32_t> open, parents(index(n) * index(slots));
    for (int i = n - 1; i >= 0; --i) {
        const int v = order[index(i)];
        std::fill(flags.begin(), flags.begin() + n, kFine);
        // Variables without a parent set so far have no incoming arcs, so they create no cycle.
        exclude_descendants(v, children, open, flags);
        int32_t* const chosen = parents.data() + index(v) * index(slots);
        const int size =
            write_parents(sets, v, sets.next_feasible(v, 0, sets.count(v), flags.data()), chosen);
        for (int k = 0; k < size; ++k) children[index(chosen[k])].push_back(v);
    }
    return topological_order(parents, slots, order, Next::ready_longest);
}

}  // namespace forebear
