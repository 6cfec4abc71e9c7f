#include "proof/support.h"

#include <algorithm>
#include <utility>

namespace forebear {

Support::Support(int n, std::span<const int32_t> child, std::span<const int32_t> parents, int slots,
                 std::span<const double> weight)
    : sets_(index(n)) {
    for (size_t i = 0; i < child.size(); ++i) {
        SupportSet set{weight[i], {}};
        for (const int32_t p : parents.subspan(i * index(slots), index(slots)))
            if (p >= 0 && p < n) set.members.push_back(p);
        std::sort(set.members.begin(), set.members.end());
        sets_[index(child[i])].push_back(std::move(set));
    }
    // Variables without a parent, or without a child, are not on a cycle; then others have none.
    std::vector<uint8_t> left(index(n), 1), is_parent(index(n));
    for (size_t before = sets_.size() + 1, now = sets_.size(); now < before;) {
        std::fill(is_parent.begin(), is_parent.end(), uint8_t{0});
        for (size_t v = 0; v < left.size(); ++v) {
            bool has_parent = false;
            for (const SupportSet& set : sets_[v])
                for (int p : set.members)
                    if (left[v] && left[index(p)]) has_parent = is_parent[index(p)] = true;
            left[v] = has_parent;
        }
        for (size_t v = 0; v < left.size(); ++v) left[v] &= is_parent[v];
        before = std::exchange(now, index(std::count(left.begin(), left.end(), 1)));
    }
    for (int v = 0; v < n; ++v)
        if (left[index(v)]) cyclic_.push_back(v);
}

ArcWeights::ArcWeights(const Support& support)
    : n_(support.n()), weights_(index(n_) * index(n_), 0.0) {
    for (int v : support.cyclic())
        for (const SupportSet& set : support.of(v))
            for (int p : set.members) weights_[index(v) * index(n_) + index(p)] += set.weight;
}

}  // namespace forebear
