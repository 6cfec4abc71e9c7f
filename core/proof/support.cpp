#include "proof/support.h"

#include "common/components.h"

namespace forebear {

namespace {
constexpr double kPresent = 1e-9;  // smaller weights of arcs are rounding errors
}

Support::Support(int n, std::span<const int32_t> child, std::span<const int32_t> parents, int slots,
                 std::span<const double> weight)
    : sets_(index(n)), arcs_(index(n) * index(n), 0.0) {
    std::vector<std::vector<int>> links(index(n));
    for (size_t i = 0; i < child.size(); ++i) {
        SupportSet set{weight[i], {}};
        for (size_t k = 0; k < index(slots); ++k)
            if (const int32_t p = parents[i * index(slots) + k]; p >= 0 && p < n)
                set.members.push_back(p);
        std::sort(set.members.begin(), set.members.end());
        const auto v = index(child[i]);
        for (int p : set.members) {
            arcs_[v * index(n) + index(p)] += set.weight;
            links[v].push_back(p);
        }
        sets_[v].push_back(std::move(set));
    }
    std::vector<int> component(index(n), -1);
    int number = 0;
    for (const auto& members : strong_components(links)) {
        if (members.size() > 1)
            for (int v : members) {
                component[index(v)] = number;
                cyclic_.push_back(v);
            }
        ++number;
    }
    std::sort(cyclic_.begin(), cyclic_.end());
    // Only members of the same component matter for cycles.
    for (int v = 0; v < n; ++v) {
        auto& own = sets_[index(v)];
        const int home = component[index(v)];
        for (auto& set : own)
            std::erase_if(set.members,
                          [&](int p) { return home < 0 || component[index(p)] != home; });
        std::sort(own.begin(), own.end(), [](const SupportSet& a, const SupportSet& b) {
            return a.members < b.members;
        });
        std::vector<SupportSet> merged;
        for (auto& set : own) {
            if (!merged.empty() && merged.back().members == set.members)
                merged.back().weight += set.weight;
            else
                merged.push_back(std::move(set));
        }
        own = std::move(merged);
        for (int p = 0; p < n; ++p) {
            double& arc = arcs_[index(v) * index(n) + index(p)];
            if (home < 0 || component[index(p)] != home || arc < kPresent) arc = 0.0;
        }
    }
}

}  // namespace forebear
