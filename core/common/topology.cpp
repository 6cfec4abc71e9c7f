#include "common/topology.h"

#include <functional>
#include <numeric>
#include <queue>

#include "common/index.h"

namespace forebear {

namespace {

/// The children of every variable, and how many of its parents are not in the order yet.
struct Graph {
    std::vector<int32_t> waiting, starts, children;

    Graph(std::span<const int32_t> parents, int slots, size_t n) : waiting(n), starts(n + 1) {
        const auto each_arc = [&](const auto& visit) {
            for (size_t u = 0; u < n; ++u)
                for (size_t k = 0; k < index(slots); ++k)
                    if (const int32_t parent = parents[u * index(slots) + k]; parent >= 0)
                        visit(u, index(parent));
        };
        each_arc([&](size_t u, size_t parent) {
            ++waiting[u];
            ++starts[parent + 1];
        });
        std::partial_sum(starts.begin(), starts.end(), starts.begin());
        children.resize(index(starts[n]));
        std::vector<int32_t> next(starts.begin(), starts.end() - 1);
        each_arc([&](size_t u, size_t parent) {
            children[index(next[parent]++)] = static_cast<int32_t>(u);
        });
    }

    /// Calls `visit` for the children of v whose other parents are all in the order.
    template <class Visit>
    void release_children(int32_t v, const Visit& visit) {
        for (int32_t i = starts[index(v)]; i < starts[index(v) + 1]; ++i)
            if (const int32_t child = children[index(i)]; --waiting[index(child)] == 0)
                visit(child);
    }
};

}  // namespace

std::vector<int32_t> topological_order(std::span<const int32_t> parents, int slots,
                                       std::span<const int32_t> preference, Next next) {
    Graph graph(parents, slots, preference.size());
    std::vector<int32_t> order;
    order.reserve(preference.size());
    if (next == Next::ready_longest) {  // the order itself is the queue
        for (const int32_t v : preference)
            if (graph.waiting[index(v)] == 0) order.push_back(v);
        for (size_t head = 0; head < order.size(); ++head)
            graph.release_children(order[head], [&](int32_t child) { order.push_back(child); });
        return order;
    }
    std::vector<int32_t> place(preference.size());
    for (size_t i = 0; i < preference.size(); ++i)
        place[index(preference[i])] = static_cast<int32_t>(i);
    std::priority_queue<int32_t, std::vector<int32_t>, std::greater<>> ready;
    for (const int32_t v : preference)
        if (graph.waiting[index(v)] == 0) ready.push(place[index(v)]);
    while (!ready.empty()) {
        order.push_back(preference[index(ready.top())]);
        ready.pop();
        graph.release_children(order.back(),
                               [&](int32_t child) { ready.push(place[index(child)]); });
    }
    return order;
}

}  // namespace forebear
