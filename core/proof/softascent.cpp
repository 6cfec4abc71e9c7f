#include "proof/softascent.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "common/index.h"

namespace forebear {

namespace {
// Limits of a step, in temperatures: beyond, columns that are not here would matter.
constexpr double kLongestRise = 100.0, kLongestFall = 10.0;
constexpr double kNoStep = 1e-5;  // smaller steps, in temperatures, are not made
constexpr double kClose = 1e-4;  // tolerance of the expected number of members that avoid a cluster
constexpr int kMostRounds = 30;  // of Newton's method, should it not converge
constexpr double kSure = 2.0 * kLongestRise;  // log odds of a certain event: past every step
constexpr double kLargestSum = 1e9, kSmallestSum = 1e-9;  // of weights: beyond, they are scaled
}  // namespace

SoftAscent::SoftAscent(const SetCosts& sets, std::span<const std::vector<Column>> columns,
                       double temperature, Team& team)
    : slots_(std::max(1, sets.slots())), temperature_(temperature), team_(team) {
    size_t begin = 0;
    for (const auto& own : columns) {
        const int count = static_cast<int>(own.size()),
                  padded = (count + kLanes - 1) / kLanes * kLanes;
        lists_.push_back({begin, count, padded});
        begin += index(padded);
    }
    weights_.assign(begin, 0.0);
    members_.assign(begin * index(slots_), kNoParent);
    for_each_item(team, sets.n(), [&](int v) {
        const auto& own = columns[index(v)];
        int64_t least = std::numeric_limits<int64_t>::max();
        for (const Column& column : own) least = std::min(least, column.reduced);
        for (size_t i = 0; i < own.size(); ++i) {
            const size_t place = lists_[index(v)].begin + i;
            weights_[place] = std::exp(-static_cast<double>(own[i].reduced - least) / temperature);
            uint16_t* const members = members_.data() + place * index(slots_);
            if (own[i].rank == Column::kAll) members[0] = kEveryVariable;
            else if (!own[i].is_set() && own[i].member() >= 0)
                members[0] = static_cast<uint16_t>(own[i].member());
            for (int k = 0; k < sets.slots() && own[i].is_set(); ++k)
                members[k] = sets.parent(v, k, own[i].rank);
        }
    });
}

Support SoftAscent::support(double unlikely) const {
    std::vector<int32_t> child, parents;
    std::vector<double> weight;
    const auto n = static_cast<int>(lists_.size());
    for (int v = 0; v < n; ++v) {
        const int count = lists_[index(v)].count;
        const double sum = std::accumulate(weights(v), weights(v) + count, 0.0);
        for (int i = 0; i < count; ++i) {
            const double probability = weights(v)[i] / sum;
            if (probability <= unlikely || members(v, i)[0] == kEveryVariable) continue;
            child.push_back(v);
            parents.insert(parents.end(), members(v, i), members(v, i) + slots_);
            weight.push_back(probability);
        }
    }
    return {n, child, parents, slots_, weight};
}

void SoftAscent::extend(const Clusters& clusters) {
    const size_t first = starts_.size() - 1;
    size_t size = masks_.size();
    for (size_t c = first; c < clusters.size(); ++c) {
        for (int32_t v : clusters.items()[c].cut.members) {
            memberships_.push_back({v, size});
            size += index(lists_[index(v)].padded);
        }
        starts_.push_back(memberships_.size());
    }
    masks_.resize(size);
    using Inside = std::vector<uint8_t>;  // by variable, all 0 between two clusters
    for_each_item(
        team_, static_cast<int>(clusters.size() - first),
        [&](int) { return Inside(lists_.size()); },
        [&](int item, Inside& inside) {
            const size_t c = first + index(item);
            const Cut& cut = clusters.items()[c].cut;
            if (cut.is_local()) fill_local(cut, c, inside);
            else fill_masks(cut, c, inside);
        });
}

void SoftAscent::fill_masks(const Cut& cluster, size_t number, std::span<uint8_t> inside) {
    for (int32_t v : cluster.members) inside[index(v)] = 1;
    for (size_t m = starts_[number]; m < starts_[number + 1]; ++m) {
        const int32_t v = memberships_[m].variable;
        uint8_t* const mask = masks_.data() + memberships_[m].mask;
        for (int i = 0; i < lists_[index(v)].count; ++i) {
            const uint16_t* const own = members(v, i);
            mask[i] = own[0] != kEveryVariable && std::count_if(own, own + slots_, [&](uint16_t p) {
                                                      return p != kNoParent && inside[p];
                                                  }) < cluster.level;
        }
    }
    for (int32_t v : cluster.members) inside[index(v)] = 0;
}

void SoftAscent::fill_local(const Cut& cut, size_t number, std::span<uint8_t> places) {
    for (size_t i = 0; i < cut.members.size(); ++i)
        places[index(cut.members[i])] = static_cast<uint8_t>(i + 1);
    const size_t all = (size_t{1} << cut.members.size()) - 1;
    for (size_t i = 0; i < cut.members.size(); ++i) {
        const Membership& membership = memberships_[starts_[number] + i];
        uint8_t* const shortfalls = masks_.data() + membership.mask;
        for (int c = 0; c < lists_[index(membership.variable)].count; ++c) {
            const uint16_t* const own = members(membership.variable, c);
            size_t parents = own[0] == kEveryVariable ? all : 0;
            for (int k = 0; k < slots_ && parents != all; ++k)
                if (own[k] != kNoParent && places[own[k]])
                    parents |= size_t{1} << (places[own[k]] - 1);
            shortfalls[c] = cut.shortfall(i, parents);
        }
    }
    for (int32_t v : cut.members) places[index(v)] = 0;
}

SoftAscent::Share SoftAscent::share(const Membership& membership) const {
    const List& list = lists_[index(membership.variable)];
    const double* const weights = weights_.data() + list.begin;
    const uint8_t* const mask = masks_.data() + membership.mask;
    double avoids[kLanes] = {}, hits[kLanes] = {};
    for (int i = 0; i < list.padded; i += kLanes)
        for (int j = 0; j < kLanes; ++j) {
            const double avoiding = weights[i + j] * mask[i + j];
            avoids[j] += avoiding;
            hits[j] += weights[i + j] - avoiding;
        }
    Share result{0.0, 0.0};
    for (int j = 0; j < kLanes; ++j) {
        result.avoids += avoids[j];
        result.hits += hits[j];
    }
    return result;
}

void SoftAscent::scale(const Membership& membership, const Share& share, double factor) {
    const List& list = lists_[index(membership.variable)];
    double* const weights = weights_.data() + list.begin;
    const uint8_t* const mask = masks_.data() + membership.mask;
    // Only ratios matter: the sum is scaled to one before it overflows or underflows.
    const double sum = share.hits + share.avoids * factor;
    const double all = sum > kLargestSum || sum < kSmallestSum ? 1.0 / sum : 1.0;
    const double scales[2] = {all, factor * all};
    for (int i = 0; i < list.padded; ++i) weights[i] *= scales[mask[i]];
}

/// The step, in temperatures, after which the expected number of members that avoid the cluster is
/// its level; between `least` and `most`. Newton's method with bisection.
double SoftAscent::best_step(double least, double most, int level) {
    log_odds_.clear();
    for (const Share& share : shares_)
        if (share.avoids > 0.0)
            log_odds_.push_back(share.hits > 0.0 ? std::log(share.avoids / share.hits) : kSure);
    if (log_odds_.empty()) return most;
    double largest = -std::numeric_limits<double>::infinity(), second = largest, sum = 0.0;
    for (double odds : log_odds_) {
        second = std::max(second, std::min(odds, largest));
        largest = std::max(largest, odds);
    }
    for (double odds : log_odds_) sum += std::exp(odds - largest);
    // The expected number is below the level at `low`, and above it at `high`, if anywhere.
    double low = least, high = most;
    if (level == 1) {
        low = std::max(low, -largest - std::log(sum));
        high = std::min(high, -second);
    }
    if (low >= high) return std::clamp(low, least, most);
    double t = level == 1 ? low : std::clamp(0.0, low, high);
    for (int round = 0; round < kMostRounds; ++round) {
        double excess = -level, slope = 0.0;
        for (double odds : log_odds_) {
            const double probability = 1.0 / (1.0 + std::exp(-odds - t));
            excess += probability;
            slope += probability * (1.0 - probability);
        }
        (excess < 0.0 ? low : high) = t;
        if (std::abs(excess) < kClose || low >= high) break;
        const double newton = t - excess / slope;
        t = newton > low && newton < high ? newton : 0.5 * (low + high);
    }
    return t;
}

/// Adds up the weights of a member's columns by shortfall.
void SoftAscent::add_weights(const Membership& membership) {
    const List& list = lists_[index(membership.variable)];
    const double* const weights = weights_.data() + list.begin;
    const uint8_t* const shortfalls = masks_.data() + membership.mask;
    double sums[256];
    uint8_t most = 0;
    for (int i = 0; i < list.count; ++i) most = std::max(most, shortfalls[i]);
    std::fill(sums, sums + most + 1, 0.0);
    for (int i = 0; i < list.count; ++i) sums[shortfalls[i]] += weights[i];
    for (int d = 0; d <= most; ++d)
        if (sums[d] > 0.0) by_shortfall_.push_back({static_cast<double>(d), sums[d]});
    member_ends_.push_back(by_shortfall_.size());
}

/// The step, in temperatures, after which the expected shortfall is what is due; between `least`
/// and `most`. Newton's method with bisection.
double SoftAscent::best_local_step(double least, double most, int due) const {
    double low = least, high = most, t = std::clamp(0.0, low, high);
    for (int round = 0; round < kMostRounds && low < high; ++round) {
        double excess = -due, slope = 0.0;
        size_t begin = 0;
        for (size_t end : member_ends_) {
            // The largest exponent is 0.
            const double shift =
                t > 0.0 ? by_shortfall_[end - 1].shortfall : by_shortfall_[begin].shortfall;
            double sum = 0.0, first = 0.0, second = 0.0;
            for (size_t i = begin; i < end; ++i) {
                const Weight& own = by_shortfall_[i];
                const double weight = own.weight * std::exp(t * (own.shortfall - shift));
                sum += weight;
                first += weight * own.shortfall;
                second += weight * own.shortfall * own.shortfall;
            }
            const double mean = first / sum;
            excess += mean;
            slope += second / sum - mean * mean;
            begin = end;
        }
        (excess < 0.0 ? low : high) = t;
        if (std::abs(excess) < kClose) break;
        const double newton = t - excess / slope;
        t = newton > low && newton < high ? newton : 0.5 * (low + high);
    }
    return t;
}

void SoftAscent::scale_local(const Membership& membership, std::span<const Weight> weights,
                             double t) {
    double scales[256], sum = 0.0;
    for (const Weight& own : weights) {
        scales[static_cast<size_t>(own.shortfall)] = std::exp(t * own.shortfall);
        sum += own.weight * std::exp(t * own.shortfall);
    }
    if (sum > kLargestSum || sum < kSmallestSum)
        for (const Weight& own : weights) scales[static_cast<size_t>(own.shortfall)] /= sum;
    const List& list = lists_[index(membership.variable)];
    double* const own = weights_.data() + list.begin;
    const uint8_t* const shortfalls = masks_.data() + membership.mask;
    for (int i = 0; i < list.count; ++i)
        if (own[i] > 0.0) own[i] *= scales[shortfalls[i]];
}

double SoftAscent::step_local(Cluster& local, size_t number) {
    const size_t begin = starts_[number], end = starts_[number + 1];
    by_shortfall_.clear();
    member_ends_.clear();
    double largest = 1.0;
    for (size_t i = begin; i < end; ++i) {
        add_weights(memberships_[i]);
        largest = std::max(largest, by_shortfall_.back().shortfall);
    }
    const double none = -local.multiplier / temperature_;
    const double least = std::max(-kLongestFall / largest, none);
    const double t = best_local_step(least, kLongestRise / largest, local.cut.due);
    if (std::abs(t) * largest < kNoStep) return 0.0;
    for (size_t i = begin, from = 0; i < end; ++i) {
        const size_t to = member_ends_[i - begin];
        scale_local(memberships_[i], {by_shortfall_.data() + from, to - from}, t);
        from = to;
    }
    local.multiplier = t <= none ? 0.0 : std::max(0.0, local.multiplier + t * temperature_);
    return std::abs(t) * largest;
}

double SoftAscent::step(Cluster& cluster, size_t number) {
    if (cluster.cut.is_local()) return step_local(cluster, number);
    const size_t begin = starts_[number], end = starts_[number + 1];
    shares_.clear();
    for (size_t i = begin; i < end; ++i) shares_.push_back(share(memberships_[i]));
    const double least = std::max(-kLongestFall, -cluster.multiplier / temperature_);
    const double t = best_step(least, kLongestRise, cluster.cut.level);
    if (std::abs(t) < kNoStep) return 0.0;
    const double factor = std::exp(t);
    for (size_t i = begin; i < end; ++i) scale(memberships_[i], shares_[i - begin], factor);
    cluster.multiplier = t <= -cluster.multiplier / temperature_
                             ? 0.0
                             : std::max(0.0, cluster.multiplier + t * temperature_);
    return std::abs(t);
}

double SoftAscent::sweep(Clusters& clusters, bool all) {
    double largest = 0.0;
    for (size_t c = 0; c < clusters.size(); ++c)
        if (all || clusters[c].multiplier > 0.0) largest = std::max(largest, step(clusters[c], c));
    return largest;
}

}  // namespace forebear
