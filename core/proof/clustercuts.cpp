#include "proof/clustercuts.h"

#include <algorithm>
#include <limits>
#include <map>
#include <queue>
#include <utility>

namespace forebear {

namespace {

constexpr double kViolated = 1e-4;  // smaller violations are not worth a cut
constexpr double kRoundOff = 1e-9;  // differences that rounding may cause
constexpr double kNoChange = 1e-6;  // smaller changes of a weight may be rounding errors
constexpr double kWorthJoining = 1e-4;  // larger, so that improving a cluster comes to an end
constexpr size_t kTried = 8;  // the candidates with the largest gains that are evaluated exactly
// The share of these that is skipped at random, to find different clusters.
constexpr double kSkipped = 0.25;
// Variables that join without a new best before the search ends. With 40, the gap of reuters-test was
// 54 nats instead of 52.
constexpr size_t kMostWithoutGain = 100;
constexpr size_t kLargestCluster = 300;  // limits the time for one cluster

}  // namespace

ClusterSearch::ClusterSearch(const Support& support, int level)
    : support_(support),
      level_(level),
      inside_(index(support.n())),
      gain_(index(support.n())),
      is_candidate_(index(support.n())) {}

/// The number of members of a set that are in the cluster.
int ClusterSearch::held(const SupportSet& set) const {
    int result = 0;
    for (int p : set.members) result += inside_[index(p)];
    return result;
}

/// The weight of the sets of v that avoid the cluster; what the solution lacks counts as well.
double ClusterSearch::avoids(int v) const {
    double weight = 1.0;
    for (const SupportSet& set : support_.of(v))
        if (held(set) >= level_) weight -= set.weight;
    return weight;
}

double ClusterSearch::violation(const std::vector<int>& cluster) {
    for (int v : cluster) inside_[index(v)] = 1;
    double result = level_;
    for (int v : cluster) result -= avoids(v);
    for (int v : cluster) inside_[index(v)] = 0;
    return result;
}

void ClusterSearch::add_gain(int u, double weight) {
    gain_[index(u)] += weight;
    if (!is_candidate_[index(u)]) {
        is_candidate_[index(u)] = 1;
        candidates_.push_back(u);
    }
}

void ClusterSearch::clear_gains() {
    for (int u : candidates_) {
        gain_[index(u)] = 0.0;
        is_candidate_[index(u)] = 0;
    }
    candidates_.clear();
}

void ClusterSearch::join(int v) {
    inside_[index(v)] = 1;
    for (size_t i = 0; i < size_; ++i)
        std::erase_if(members_[i].avoiding, [&](const SupportSet* set) {
            if (std::find(set->members.begin(), set->members.end(), v) == set->members.end())
                return false;
            const int now = held(*set);
            if (now == level_ - 1)
                for (int p : set->members) add_gain(p, set->weight);
            if (now < level_) return false;
            expected_ -= set->weight;
            for (int p : set->members) add_gain(p, -set->weight);
            return true;
        });
    if (size_ == members_.size()) members_.emplace_back();
    Member& joined = members_[size_++];
    joined.variable = v;
    joined.avoiding.clear();
    expected_ += avoids(v);
    for (const SupportSet& set : support_.of(v)) {
        const int now = held(set);
        if (now < level_) joined.avoiding.push_back(&set);
        if (now == level_ - 1)
            for (int p : set.members) add_gain(p, set.weight);
    }
}

/// Makes the first cluster: the start, and as many members of a set, drawn by weight, as its level.
/// Returns false if they are too few.
bool ClusterSearch::begin(int start, Random& random) {
    double left = random.uniform();
    for (const SupportSet& set : support_.of(start)) {
        left -= set.weight;
        if (left > 0.0) continue;
        const int size = static_cast<int>(set.members.size());
        if (size < level_) return false;
        const int first = random.below(size);
        join(start);
        for (int i = 0; i < level_; ++i) join(set.members[index((first + i) % size)]);
        return true;
    }
    return false;
}

/// The variable that lowers the weight the most or raises it the least; -1 if there is none.
int ClusterSearch::choose_next(Random& random) {
    std::erase_if(candidates_, [&](int u) {
        const bool useless = inside_[index(u)] || gain_[index(u)] < kNoChange;
        if (useless) {
            is_candidate_[index(u)] = 0;
            gain_[index(u)] = 0.0;
        }
        return useless;
    });
    const size_t tried = std::min(kTried, candidates_.size());
    std::partial_sort(candidates_.begin(), candidates_.begin() + static_cast<std::ptrdiff_t>(tried),
                      candidates_.end(), [&](int a, int b) {
                          const double gain_a = gain_[index(a)], gain_b = gain_[index(b)];
                          return gain_a != gain_b ? gain_a > gain_b : a < b;
                      });
    int best = -1;
    double best_change = std::numeric_limits<double>::infinity();
    for (size_t i = 0; i < tried; ++i) {
        const double gain = gain_[index(candidates_[i])];
        if (-gain > best_change) break;  // the others are no better
        if (random.uniform() < kSkipped) continue;
        const double change = avoids(candidates_[i]) - gain;
        if (change < best_change) {
            best = candidates_[i];
            best_change = change;
        }
    }
    return best;
}

ClusterCut ClusterSearch::grow(int start, double violation, Random& random) {
    ClusterCut found{{}, level_, 0.0};
    if (!begin(start, random)) return found;
    double least = expected_;
    size_t best = size_;
    while (size_ < kLargestCluster && size_ < best + kMostWithoutGain) {
        const int next = choose_next(random);
        if (next < 0) break;
        join(next);
        if (expected_ < least - 1e-3) {
            least = expected_;
            best = size_;
        }
    }
    for (size_t i = 0; i < size_; ++i) {
        if (i < best) found.members.push_back(members_[i].variable);
        inside_[index(members_[i].variable)] = 0;
    }
    clear_gains();
    size_ = 0;
    expected_ = 0.0;
    if (least < level_ - violation) found = improve(std::move(found.members));
    if (found.violation < violation) found.members.clear();
    return found;
}

/// Computes in gain_ how the weight changes if a member leaves; of a candidate, how the members' part
/// of it changes if that joins.
void ClusterSearch::weigh_changes(const std::vector<int>& cluster) {
    // If a member leaves, sets that do not avoid the cluster only because of it begin to, and its own
    // sets no longer count. If a variable joins, it is the other way round.
    for (int v : cluster)
        for (const SupportSet& set : support_.of(v)) {
            const int now = held(set);
            if (now != level_ && now != level_ - 1) continue;
            for (int p : set.members)
                if ((now == level_) == (inside_[index(p)] != 0))
                    add_gain(p, inside_[index(p)] ? set.weight : -set.weight);
        }
    for (int v : cluster) add_gain(v, -avoids(v));
}

ClusterCut ClusterSearch::improve(std::vector<int> cluster) {
    for (int v : cluster) inside_[index(v)] = 1;
    while (true) {
        weigh_changes(cluster);
        int leaves = -1, joins = -1;
        double most = kNoChange;
        if (cluster.size() > index(level_) + 1)
            for (int v : cluster)
                if (gain_[index(v)] < most) {
                    most = gain_[index(v)];
                    leaves = v;
                }
        most = std::min(most, -kWorthJoining);
        for (int u : candidates_)
            if (!inside_[index(u)] && gain_[index(u)] < most)  // its own part is not negative
                if (const double change = gain_[index(u)] + avoids(u); change < most) {
                    most = change;
                    joins = u;
                }
        clear_gains();
        if (joins >= 0) {
            inside_[index(joins)] = 1;
            cluster.push_back(joins);
        } else if (leaves >= 0) {
            inside_[index(leaves)] = 0;
            std::erase(cluster, leaves);
        } else {
            for (int v : cluster) inside_[index(v)] = 0;
            std::sort(cluster.begin(), cluster.end());
            const double violated = violation(cluster);
            return {std::move(cluster), level_, violated};
        }
    }
}

namespace {

/// The shortest cycles through `start`, one per last arc, where an arc of weight w has the length
/// 1 - w: a cycle shorter than 1 violates the cut of its cluster.
std::vector<std::vector<int>> cycles_through(const Support& support, const ArcWeights& arcs,
                                             const std::vector<std::vector<int>>& children,
                                             int start) {
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
            const double next = length + std::max(0.0, 1.0 - arcs(v, u));
            if (next < distance[index(v)] - kRoundOff) {
                distance[index(v)] = next;
                before[index(v)] = u;
                open.push({next, v});
            }
        }
    }
    std::vector<std::vector<int>> cycles;
    for (int u : support.cyclic()) {
        if (u == start || before[index(u)] < 0 || arcs(start, u) <= 0.0) continue;
        if (distance[index(u)] + 1.0 - arcs(start, u) > 1.0 - kViolated) continue;
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
    const ArcWeights arcs(support);
    std::vector<std::vector<int>> children(index(support.n()));
    for (int v : cyclic)
        for (int u : cyclic)
            if (arcs(v, u) > 0.0) children[index(u)].push_back(v);
    using Found = std::map<std::pair<int, std::vector<int>>, double>;
    std::vector<Found> parts(cyclic.size());
    for_each_item(team, static_cast<int>(cyclic.size()), [&](int i) {
        if (budget.spent()) return;
        const int seed = cyclic[index(i)];
        const uint64_t words[4] = {index(seed) + 1, 2, 3, 4};
        Random random(words);
        const auto cycles = cycles_through(support, arcs, children, seed);
        for (int level = 1; level <= most_level && index(level) < cyclic.size(); ++level) {
            ClusterSearch search(support, level);
            const auto keep = [&](ClusterCut cut) {
                if (cut.violation > kViolated)
                    parts[index(i)][{level, std::move(cut.members)}] = cut.violation;
            };
            for (const auto& cycle : cycles) {
                if (cycle.size() <= index(level)) continue;
                keep({cycle, level, search.violation(cycle)});
                keep(search.improve(cycle));
            }
            keep(search.grow(seed, kViolated, random));
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
