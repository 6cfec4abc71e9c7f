#include "proof/support.h"

#include <algorithm>
#include <utility>

namespace forebear {

namespace {

class Components {
public:
    explicit Components(const std::vector<std::vector<int>>& arcs)
        : arcs_(arcs),
          number_(arcs.size(), 0),
          low_(arcs.size(), 0),
          next_(arcs.size(), 0),
          on_stack_(arcs.size()) {
        for (size_t v = 0; v < arcs.size(); ++v)
            if (!number_[v]) walk(static_cast<int>(v));
    }
    std::vector<std::vector<int>> found;

private:
    void walk(int start) {
        std::vector<int> path;
        enter(start, path);
        while (!path.empty()) {
            const auto v = index(path.back());
            if (next_[v] < arcs_[v].size()) {
                const int w = arcs_[v][next_[v]++];
                if (!number_[index(w)]) enter(w, path);
                else if (on_stack_[index(w)]) low_[v] = std::min(low_[v], number_[index(w)]);
                continue;
            }
            path.pop_back();
            if (!path.empty())
                low_[index(path.back())] = std::min(low_[index(path.back())], low_[v]);
            if (low_[v] == number_[v]) close(static_cast<int>(v));
        }
    }
    void enter(int v, std::vector<int>& path) {
        number_[index(v)] = low_[index(v)] = ++entered_;
        on_stack_[index(v)] = true;
        stack_.push_back(v);
        path.push_back(v);
    }
    void close(int root) {
        found.emplace_back();
        for (int v = -1; v != root;) {
            v = stack_.back();
            stack_.pop_back();
            on_stack_[index(v)] = false;
            found.back().push_back(v);
        }
    }

    const std::vector<std::vector<int>>& arcs_;
    std::vector<int> number_, low_;
    std::vector<size_t> next_;
    std::vector<bool> on_stack_;
    std::vector<int> stack_;
    int entered_ = 0;
};

}  // namespace

std::vector<std::vector<int>> strong_components(const std::vector<std::vector<int>>& arcs) {
    return Components(arcs).found;
}

Support::Support(int n, std::span<const int32_t> child, std::span<const int32_t> parents, int slots,
                 std::span<const double> weight)
    : sets_(index(n)) {
    std::vector<std::vector<int>> links(index(n));
    for (size_t i = 0; i < child.size(); ++i) {
        SupportSet set{weight[i], {}};
        for (const int32_t p : parents.subspan(i * index(slots), index(slots)))
            if (p >= 0 && p < n) set.members.push_back(p);
        std::sort(set.members.begin(), set.members.end());
        const auto v = index(child[i]);
        links[v].insert(links[v].end(), set.members.begin(), set.members.end());
        sets_[v].push_back(std::move(set));
    }
    for (const auto& members : strong_components(links))
        if (members.size() > 1) cyclic_.insert(cyclic_.end(), members.begin(), members.end());
    std::sort(cyclic_.begin(), cyclic_.end());
}

ArcWeights::ArcWeights(const Support& support)
    : n_(support.n()), weights_(index(n_) * index(n_), 0.0) {
    for (int v : support.cyclic())
        for (const SupportSet& set : support.of(v))
            for (int p : set.members) weights_[index(v) * index(n_) + index(p)] += set.weight;
}

}  // namespace forebear
