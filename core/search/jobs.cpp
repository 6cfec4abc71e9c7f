#include "search/jobs.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "common/index.h"
#include "common/topology.h"

namespace forebear {

namespace {

// A region has at most this many variables. Searches of diabetes (413 variables) then found the
// optimum after 459 generations, the mean of 48 seeds; 778 with up to half of the variables, 538
// with up to 50, 719 with up to 30. reuters-test took as many with 64 as with half
// (benchmarks/results/search.md, which has other seeds, too).
constexpr int kLargestRegion = 80;

/// The neighbours of each variable in the union of both networks, without directions.
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
        neighbours_.resize(index(starts_.back()));
        std::vector<int> next(starts_.begin(), starts_.end() - 1);
        each_arc([&](int u, int parent) {
            neighbours_[index(next[index(u)]++)] = parent;
            neighbours_[index(next[index(parent)]++)] = u;
        });
    }
    std::span<int> of(int u) {
        return std::span(neighbours_)
            .subspan(index(starts_[index(u)]), index(starts_[index(u + 1)] - starts_[index(u)]));
    }

private:
    std::vector<int> starts_, neighbours_;
};

/// Grows a region breadth first from a random variable whose sets in x and y differ.
std::vector<int> grow_cluster(const OrderSets& sets, const Individual& x, const Individual& y,
                              Random& random) {
    std::vector<int> differing;
    for (int u = 0; u < sets.n(); ++u)
        if (x.ranks[index(u)] != y.ranks[index(u)]) differing.push_back(u);
    if (differing.empty()) return {};
    UnionGraph graph(sets, x, y);
    const auto size = index(1 + random.below(std::clamp(sets.n() / 2, 1, kLargestRegion)));
    std::vector<int> cluster = {differing[index(random.below(static_cast<int>(differing.size())))]};
    std::vector<bool> inside(index(sets.n()));
    inside[index(cluster[0])] = true;
    for (size_t head = 0; head < cluster.size() && cluster.size() < size; ++head) {
        auto neighbours = graph.of(cluster[head]);
        shuffle(neighbours, random);
        for (const int w : neighbours) {
            if (inside[index(w)] || cluster.size() >= size) continue;
            inside[index(w)] = true;
            cluster.push_back(w);
        }
    }
    return cluster;
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

    /// Gives u a set unless that makes a cycle. Returns whether it did.
    bool take(int u, int rank) {
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
    // An arc is a slot of a child. Those of a parent are a chain, as a list for every parent would
    // have to be allocated for every child that is made.
    std::vector<int32_t> parents_;     // by arc: [u][slot], -1 in unused slots
    std::vector<int32_t> last_arc_;    // by parent, -1 if there is none
    std::vector<int32_t> arc_before_;  // by arc: another one of its parent, or -1
    std::vector<int> seen_, open_;
    int visit_ = 0;
};

Individual result_of(const Climber& climber) {
    return {climber.score(),
            {climber.order().begin(), climber.order().end()},
            {climber.ranks().begin(), climber.ranks().end()}};
}

std::vector<int32_t> mutate(std::span<const int32_t> order, int swaps, Random& random) {
    std::vector<int32_t> mutant(order.begin(), order.end());
    const auto n = static_cast<int>(mutant.size());
    for (int i = 0; i < swaps; ++i) {
        const int a = random.below(n), b = random.below(n);
        std::swap(mutant[index(a)], mutant[index(b)]);
    }
    return mutant;
}

}  // namespace

std::vector<int32_t> cross_networks(const OrderSets& sets, const Individual& x, const Individual& y,
                                    Random& random) {
    std::vector<int> turns = grow_cluster(sets, x, y, random);
    const size_t in_cluster = turns.size();
    if (in_cluster == 0) return x.order;
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
        const Individual& first = i < in_cluster ? y : x;
        const Individual& second = i < in_cluster ? x : y;
        if (!assembly.take(u, first.ranks[index(u)])) assembly.take(u, second.ranks[index(u)]);
    }
    return assembly.sorted(x.order);
}

Individual climb_order(Climber& climber, std::span<const int32_t> order, Random& random,
                       const Budget& budget) {
    climber.start(climber.sets().mended(order));
    climber.climb(random, budget);
    return result_of(climber);
}

Individual raise_child(Climber& climber, const ChildPolicy& policy, const Individual& parent,
                       const Individual* other, std::span<const int32_t> order, Random& random,
                       const Budget& budget) {
    const OrderSets& sets = climber.sets();
    std::vector<int32_t> start;
    if (!order.empty()) start.assign(order.begin(), order.end());
    else if (other) start = cross_networks(sets, parent, *other, random);
    else start = mutate(parent.order, policy.swaps, random);
    climber.start(sets.mended(start));
    climber.mark_changes(parent.ranks);
    climber.climb_marked(random, policy.window, budget);
    const auto new_score = [&] { return !other || climber.score() != other->score; };
    if (climber.score() > parent.score - policy.margin && climber.score() != parent.score &&
        new_score()) {
        climber.mark_touched();
        climber.climb_marked(random, sets.n(), budget);
        if (climber.score() > parent.score && new_score()) climber.climb(random, budget);
    }
    return result_of(climber);
}

Individual adapt(Climber& climber, std::span<const int32_t> order, std::span<const int32_t> ranks,
                 int window, Random& random, const Budget& budget) {
    climber.start(climber.sets().mended(order));
    climber.mark_changes(ranks);
    climber.climb_marked(random, window, budget);
    return result_of(climber);
}

}  // namespace forebear
