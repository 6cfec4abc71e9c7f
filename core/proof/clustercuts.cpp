#include "proof/clustercuts.h"

#include <algorithm>
#include <map>
#include <queue>
#include <utility>

namespace forebear {

namespace {

constexpr double kViolated = 1e-4;   // smaller violations are not worth a cut
constexpr double kRoundOff = 1e-9;   // differences that rounding may cause
constexpr size_t kWithoutGain = 60;  // variables that join without a new best before growth ends

/// A cluster that variables join and leave.
class Growing {
public:
    Growing(const Support& support, int level)
        : support_(support),
          level_(level),
          inside_(index(support.n()), 0),
          own_(index(support.n())),
          gain_(index(support.n())) {}

    void start(const std::vector<int>& members) {
        std::fill(inside_.begin(), inside_.end(), uint8_t{0});
        for (int v : members) inside_[index(v)] = 1;
        size_ = members.size();
        weigh();
    }
    size_t size() const { return size_; }
    double slim() const { return slim_; }
    std::vector<int> members() const {
        std::vector<int> result;
        for (int v : support_.cyclic())
            if (inside_[index(v)]) result.push_back(v);
        return result;
    }
    /// The change of the slim weight if v joins or leaves.
    double change(int v) const {
        return inside_[index(v)] ? gain_[index(v)] - own_[index(v)] : own_[index(v)] - gain_[index(v)];
    }
    bool inside(int v) const { return inside_[index(v)]; }
    void flip(int v) {
        inside_[index(v)] ^= 1;
        size_ += inside_[index(v)] ? 1 : size_t(-1);
        weigh();
    }

private:
    /// own: the slim weight of each variable, if it is a member. gain: of a member, the weight of
    /// sets that are slim without it; of another variable, the weight of sets that it would make no
    /// longer slim.
    void weigh() {
        std::fill(own_.begin(), own_.end(), 0.0);
        std::fill(gain_.begin(), gain_.end(), 0.0);
        slim_ = 0.0;
        for (int v : support_.cyclic())
            for (const SupportSet& set : support_.of(v)) {
                int held = 0;
                for (int p : set.members) held += inside_[index(p)];
                if (held < level_) own_[index(v)] += set.weight;
                if (!inside_[index(v)]) continue;
                if (held < level_) slim_ += set.weight;
                if (held == level_ - 1) {
                    for (int p : set.members)
                        if (!inside_[index(p)]) gain_[index(p)] += set.weight;
                } else if (held == level_) {
                    for (int p : set.members)
                        if (inside_[index(p)]) gain_[index(p)] += set.weight;
                }
            }
    }

    const Support& support_;
    int level_;
    std::vector<uint8_t> inside_;
    std::vector<double> own_, gain_;
    size_t size_ = 0;
    double slim_ = 0.0;
};

/// Grows a cluster from one variable greedily; returns the best one met.
std::vector<int> grow(Growing& growing, const Support& support, int seed, int level) {
    growing.start({seed});
    std::vector<int> best;
    double least = level;
    size_t best_size = 0;
    while (growing.size() < support.cyclic().size() && growing.size() < best_size + kWithoutGain) {
        int next = -1;
        double change = 0.0;
        for (int u : support.cyclic())
            if (!growing.inside(u) && (next < 0 || growing.change(u) < change - kRoundOff)) {
                next = u;
                change = growing.change(u);
            }
        growing.flip(next);
        if (growing.size() > index(level) && (best.empty() || growing.slim() < least - kRoundOff)) {
            best = growing.members();
            best_size = growing.size();
            least = growing.slim();
        }
    }
    return best;
}

/// Lets variables join or leave as long as this increases the violation.
void climb(Growing& growing, const Support& support, int level) {
    while (true) {
        int best = -1;
        double change = -kRoundOff;
        for (int u : support.cyclic())
            if (growing.change(u) < change &&
                (!growing.inside(u) || growing.size() > index(level) + 1)) {
                best = u;
                change = growing.change(u);
            }
        if (best < 0) return;
        growing.flip(best);
    }
}

/// The shortest cycles through `start`, one per last arc, where an arc of weight w has the length
/// 1 - w: a cycle shorter than 1 violates the cut of its cluster.
std::vector<std::vector<int>> cycles_through(const Support& support,
                                             const std::vector<std::vector<int>>& children, int start) {
    const auto n = index(support.n());
    std::vector<double> distance(n, 1.0);
    std::vector<int> before(n, -1);
    std::priority_queue<std::pair<double, int>, std::vector<std::pair<double, int>>, std::greater<>>
        open;
    distance[index(start)] = 0.0;
    open.push({0.0, start});
    while (!open.empty()) {
        const auto [length, u] = open.top();
        open.pop();
        if (length > distance[index(u)]) continue;
        for (int v : children[index(u)]) {
            const double next = length + std::max(0.0, 1.0 - support.arc(v, u));
            if (next < distance[index(v)] - kRoundOff) {
                distance[index(v)] = next;
                before[index(v)] = u;
                open.push({next, v});
            }
        }
    }
    std::vector<std::vector<int>> cycles;
    for (int u : support.cyclic()) {
        if (u == start || before[index(u)] < 0 || support.arc(start, u) <= 0.0) continue;
        if (distance[index(u)] + 1.0 - support.arc(start, u) > 1.0 - kViolated) continue;
        std::vector<int> cycle{start};
        for (int v = u; v != start; v = before[index(v)]) cycle.push_back(v);
        std::sort(cycle.begin(), cycle.end());
        cycles.push_back(std::move(cycle));
    }
    return cycles;
}

}  // namespace

std::vector<ClusterCut> find_cluster_cuts(const Support& support, int most_level,
                                          const Budget& budget, Team& team) {
    const std::vector<int>& cyclic = support.cyclic();
    std::vector<std::vector<int>> children(index(support.n()));
    for (int v : cyclic)
        for (int u : cyclic)
            if (support.arc(v, u) > 0.0) children[index(u)].push_back(v);
    using Found = std::map<std::pair<int, std::vector<int>>, double>;
    std::vector<Found> parts(cyclic.size());
    for_each_item(team, static_cast<int>(cyclic.size()), [&](int i) {
        if (budget.spent()) return;
        const int seed = cyclic[index(i)];
        const auto cycles = cycles_through(support, children, seed);
        for (int level = 1; level <= most_level && index(level) < cyclic.size(); ++level) {
            Growing growing(support, level);
            std::vector<std::vector<int>> starts;
            for (const auto& cycle : cycles)
                if (cycle.size() > index(level)) starts.push_back(cycle);
            if (auto grown = grow(growing, support, seed, level); !grown.empty())
                starts.push_back(std::move(grown));
            const auto keep = [&] {
                if (const double violation = level - growing.slim(); violation > kViolated)
                    parts[index(i)][{level, growing.members()}] = violation;
            };
            for (const auto& start : starts) {
                growing.start(start);
                keep();
                climb(growing, support, level);
                keep();
            }
        }
    });
    Found found;
    for (auto& part : parts) found.merge(part);
    std::vector<ClusterCut> cuts;
    for (const auto& [key, violation] : found) cuts.push_back({key.second, key.first, violation});
    std::stable_sort(cuts.begin(), cuts.end(), [](const ClusterCut& a, const ClusterCut& b) {
        return a.violation > b.violation;
    });
    return cuts;
}

}  // namespace forebear
