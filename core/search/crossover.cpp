#include "search/crossover.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "common/index.h"
#include "common/topology.h"

namespace forebear {

namespace {

// The largest number of variables in a region. With 80, searches of diabetes (413 variables) found
// the optimum after 459 generations (mean of 48 seeds); with half of the variables after 778, with
// 50 after 538, with 30 after 719. On reuters-test, 64 and half of the variables were equal
// (benchmarks/results/search.md, also for other seeds).
constexpr int kLargestRegion = 80;

/// The neighbors of each variable in the union of both networks, without directions.
class UnionGraph {
public:
    UnionGraph(const OrderSets& sets, const Individual& x, const Individual& y)
        : starts_(index(sets.n() + 1)) {
        int32_t members[kMaxSlots];
        const auto each_arc = [&](const auto& visit) {
            for (int u = 0; u < sets.n(); ++u) {
                const auto visit_set = [&](int rank) {
                    const int size = sets.parents(u, rank, members);
                    for (int k = 0; k < size; ++k) visit(u, members[k]);
                };
                visit_set(x.ranks[index(u)]);
                if (x.ranks[index(u)] != y.ranks[index(u)]) visit_set(y.ranks[index(u)]);
            }
        };
        each_arc([&](int u, int parent) {
            ++starts_[index(u + 1)];
            ++starts_[index(parent + 1)];
        });
        std::partial_sum(starts_.begin(), starts_.end(), starts_.begin());
        neighbors_.resize(index(starts_.back()));
        std::vector<int> next(starts_.begin(), starts_.end() - 1);
        each_arc([&](int u, int parent) {
            neighbors_[index(next[index(u)]++)] = parent;
            neighbors_[index(next[index(parent)]++)] = u;
        });
    }
    std::span<int> of(int u) {
        return std::span(neighbors_)
            .subspan(index(starts_[index(u)]), index(starts_[index(u + 1)] - starts_[index(u)]));
    }

private:
    std::vector<int> starts_, neighbors_;
};

/// Grows a region breadth first from a random variable whose sets in x and y differ.
std::vector<int> grow_region(const OrderSets& sets, const Individual& x, const Individual& y,
                             Random& random) {
    std::vector<int> differing;
    for (int u = 0; u < sets.n(); ++u)
        if (x.ranks[index(u)] != y.ranks[index(u)]) differing.push_back(u);
    if (differing.empty()) return {};
    UnionGraph graph(sets, x, y);
    const auto size = index(1 + random.below(std::clamp(sets.n() / 2, 1, kLargestRegion)));
    std::vector<int> region = {differing[index(random.below(static_cast<int>(differing.size())))]};
    std::vector<bool> inside(index(sets.n()));
    inside[index(region[0])] = true;
    for (size_t head = 0; head < region.size() && region.size() < size; ++head) {
        auto neighbors = graph.of(region[head]);
        shuffle(neighbors, random);
        for (const int w : neighbors) {
            if (inside[index(w)] || region.size() >= size) continue;
            inside[index(w)] = true;
            region.push_back(w);
        }
    }
    return region;
}

/// A network to which parent sets are added one by one.
class Assembly {
public:
    explicit Assembly(const OrderSets& sets)
        : sets_(sets),
          parents_(index(sets.n()) * index(sets.slots()), -1),
          last_arc_(index(sets.n()), -1),
          arc_before_(parents_.size()),
          seen_(index(sets.n())) {}

    /// Gives u a set unless that creates a cycle. Returns whether it did.
    bool add(int u, int rank) {
        int32_t members[kMaxSlots];
        const std::span own(members, index(sets_.parents(u, rank, members)));
        if (!own.empty() && reaches_any(u, own)) return false;
        int arc = u * sets_.slots();
        for (const int parent : own) {
            parents_[index(arc)] = parent;
            arc_before_[index(arc)] = last_arc_[index(parent)];
            last_arc_[index(parent)] = arc++;
        }
        return true;
    }

    /// A topological order; where there is a choice, as in `order`.
    std::vector<int32_t> sorted(std::span<const int32_t> order) const {
        return topological_order(parents_, sets_.slots(), order, Next::preferred);
    }

private:
    /// Whether one of these variables is u or a descendant of u.
    bool reaches_any(int u, std::span<const int32_t> targets) {
        ++visit_;
        open_.assign(1, u);
        seen_[index(u)] = visit_;
        while (!open_.empty()) {
            const int w = open_.back();
            open_.pop_back();
            if (std::find(targets.begin(), targets.end(), w) != targets.end()) return true;
            for (int arc = last_arc_[index(w)]; arc >= 0; arc = arc_before_[index(arc)])
                if (const int child = arc / sets_.slots(); seen_[index(child)] != visit_) {
                    seen_[index(child)] = visit_;
                    open_.push_back(child);
                }
        }
        return false;
    }

    const OrderSets& sets_;
    // An arc is a slot of a child. The arcs of a parent form a linked list in two flat arrays: a
    // vector per parent would be allocated anew for every child.
    std::vector<int32_t> parents_;     // by arc: [u][slot], -1 in unused slots
    std::vector<int32_t> last_arc_;    // by parent, -1 if there is none
    std::vector<int32_t> arc_before_;  // by arc: another one of its parent, or -1
    std::vector<int> seen_, open_;
    int visit_ = 0;
};

}  // namespace

std::vector<int32_t> cross_networks(const OrderSets& sets, const Individual& x, const Individual& y,
                                    Random& random) {
    std::vector<int> turns = grow_region(sets, x, y, random);
    const size_t in_region = turns.size();
    if (in_region == 0) return x.order;
    std::vector<bool> inside(index(sets.n()));
    for (const int u : turns) inside[index(u)] = true;
    std::vector<int> others;
    for (int u = 0; u < sets.n(); ++u)
        if (!inside[index(u)]) others.push_back(u);
    shuffle(others, random);
    turns.insert(turns.end(), others.begin(), others.end());
    Assembly assembly(sets);
    for (size_t i = 0; i < turns.size(); ++i) {
        const int u = turns[i];
        const Individual& first = i < in_region ? y : x;
        const Individual& second = i < in_region ? x : y;
        if (!assembly.add(u, first.ranks[index(u)])) assembly.add(u, second.ranks[index(u)]);
    }
    return assembly.sorted(x.order);
}

std::vector<int32_t> swap_pairs(std::span<const int32_t> order, int swaps, Random& random) {
    std::vector<int32_t> mutant(order.begin(), order.end());
    const auto n = static_cast<int>(mutant.size());
    for (int i = 0; i < swaps; ++i) {
        const int a = random.below(n), b = random.below(n);
        std::swap(mutant[index(a)], mutant[index(b)]);
    }
    return mutant;
}

}  // namespace forebear
