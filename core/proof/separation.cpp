#include "proof/separation.h"

#include <algorithm>
#include <limits>
#include <optional>

#include "common/index.h"
#include "proof/localcuts.h"
#include "proof/pricing.h"
#include "proof/support.h"

namespace forebear {

namespace {
constexpr size_t kTried = 8;  // the candidates with the largest gains that are evaluated exactly
// The share of these that is skipped at random, to find different clusters.
constexpr double kSkipped = 0.25;
constexpr double kNoChange = 1e-6;  // smaller changes of an expected number may be rounding errors
constexpr double kWorthJoining = 1e-4;  // larger, so that improving a cluster comes to an end
// Variables that join without a new best before the search ends.
constexpr size_t kMostWithoutGain = 100;

template <class Visit>
void visit_members(const Probabilities::Choice& choice, int slots, const Visit& visit) {
    for (int k = 0; k < slots && choice.members[k] != kNoParent; ++k) visit(choice.members[k]);
}

}  // namespace

Probabilities::Probabilities(const SoftAscent& ascent, float unlikely)
    : slots_(ascent.slots()), choices_(index(ascent.n())) {
    for (int v = 0; v < ascent.n(); ++v) {
        double sum = 0.0;
        for (int i = 0; i < ascent.count(v); ++i) sum += ascent.weights(v)[i];
        auto& own = choices_[index(v)];
        for (int i = 0; i < ascent.count(v); ++i) {
            const auto probability = static_cast<float>(ascent.weights(v)[i] / sum);
            if (probability > unlikely && ascent.members(v, i)[0] != kEveryVariable)
                own.push_back({probability, ascent.members(v, i)});
        }
    }
}

Separation::Separation(const Probabilities& probabilities, int level, double violation)
    : probabilities_(probabilities),
      level_(level),
      violation_(violation),
      inside_(index(probabilities.n())),
      gain_(index(probabilities.n())),
      is_candidate_(index(probabilities.n())) {}

/// The number of members of a choice that are in the cluster.
int Separation::held(const Probabilities::Choice& choice) const {
    int result = 0;
    visit_members(choice, probabilities_.slots(), [&](uint16_t p) { result += inside_[p]; });
    return result;
}

double Separation::avoids(int v) const {
    double probability = 1.0;  // choices left out count as avoiding
    for (const auto& choice : probabilities_.of(v))
        if (hits(choice)) probability -= static_cast<double>(choice.probability);
    return probability;
}

void Separation::add_gains(const Probabilities::Choice& choice, double probability) {
    visit_members(choice, probabilities_.slots(), [&](uint16_t p) {
        gain_[p] += probability;
        if (!is_candidate_[p]) {
            is_candidate_[p] = 1;
            candidates_.push_back(p);
        }
    });
}

void Separation::join(int v) {
    inside_[index(v)] = 1;
    for (size_t i = 0; i < size_; ++i) {
        const auto& choices = probabilities_.of(members_[i].variable);
        std::erase_if(members_[i].avoiding, [&](int32_t c) {
            const auto& choice = choices[index(c)];
            bool holds = false;
            visit_members(choice, probabilities_.slots(), [&](uint16_t p) { holds |= p == v; });
            if (!holds) return false;
            const int now = held(choice);
            if (now == level_ - 1) add_gains(choice, static_cast<double>(choice.probability));
            if (now < level_) return false;
            expected_ -= static_cast<double>(choice.probability);
            add_gains(choice, -static_cast<double>(choice.probability));
            return true;
        });
    }
    if (size_ == members_.size()) members_.emplace_back();
    Member& joined = members_[size_++];
    joined.variable = v;
    joined.avoiding.clear();
    const auto& choices = probabilities_.of(v);
    expected_ += 1.0;
    for (size_t c = 0; c < choices.size(); ++c) {
        const int now = held(choices[c]);
        if (now >= level_) {
            expected_ -= static_cast<double>(choices[c].probability);
        } else {
            joined.avoiding.push_back(static_cast<int32_t>(c));
            if (now == level_ - 1)
                add_gains(choices[c], static_cast<double>(choices[c].probability));
        }
    }
}

void Separation::clear() {
    for (size_t i = 0; i < size_; ++i) inside_[index(members_[i].variable)] = 0;
    for (int32_t u : candidates_) {
        gain_[index(u)] = 0.0;
        is_candidate_[index(u)] = 0;
    }
    candidates_.clear();
    size_ = 0;
    expected_ = 0.0;
}

/// A random choice of the variable by probability; null for the choices left out.
const Probabilities::Choice* Separation::draw(int v, Random& random) const {
    double left = random.uniform();
    for (const auto& choice : probabilities_.of(v)) {
        left -= static_cast<double>(choice.probability);
        if (left <= 0.0) return &choice;
    }
    return nullptr;
}

/// Makes the first cluster: the start, and as many of its parents as hit it. Returns false if they
/// are too few.
bool Separation::begin(int start, Random& random) {
    const Probabilities::Choice* const choice = draw(start, random);
    if (!choice) return false;
    int size = 0;
    visit_members(*choice, probabilities_.slots(), [&](uint16_t) { ++size; });
    if (size < level_) return false;
    const int first = random.below(size);
    join(start);
    for (int i = 0; i < level_; ++i) join(choice->members[(first + i) % size]);
    return true;
}

/// The variable that lowers the expected number the most or raises it the least; -1 if there is
/// none.
int Separation::choose_next(Random& random) {
    std::erase_if(candidates_, [&](int32_t u) {
        const bool useless = inside_[index(u)] || gain_[index(u)] < kNoChange;
        if (useless) {
            is_candidate_[index(u)] = 0;
            gain_[index(u)] = 0.0;
        }
        return useless;
    });
    const size_t tried = std::min(kTried, candidates_.size());
    std::partial_sort(candidates_.begin(), candidates_.begin() + static_cast<std::ptrdiff_t>(tried),
                      candidates_.end(), [&](int32_t a, int32_t b) {
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

/// Computes in gain_ how the expected number changes if a member leaves; of a candidate, how the
/// members' part of it changes if that joins. Returns the number.
double Separation::weigh_changes(const std::vector<int32_t>& cluster) {
    // If a member leaves, choices that hit only with it begin to avoid the cluster, and its own
    // choices no longer count. If a variable joins, it is the other way round.
    double expected = 0.0;
    for (int32_t v : cluster)
        for (const auto& choice : probabilities_.of(v)) {
            const int now = held(choice);
            if (now != level_ && now != level_ - 1) continue;
            visit_members(choice, probabilities_.slots(), [&](uint16_t p) {
                if ((now == level_) != (inside_[p] != 0)) return;
                if (!inside_[p] && !is_candidate_[p]) {
                    is_candidate_[p] = 1;
                    candidates_.push_back(p);
                }
                gain_[p] += inside_[p] ? static_cast<double>(choice.probability)
                                       : -static_cast<double>(choice.probability);
            });
        }
    for (int32_t v : cluster) {
        const double own = avoids(v);
        expected += own;
        gain_[index(v)] -= own;
    }
    return expected;
}

/// Lets members leave without which the cluster is violated at least as much, and variables join
/// with which it is violated more.
void Separation::improve(std::vector<int32_t>& cluster) {
    for (int32_t v : cluster) inside_[index(v)] = 1;
    while (true) {
        const double expected = weigh_changes(cluster);
        int32_t leaves = -1, joins = -1;
        double most = kNoChange;
        if (cluster.size() > index(level_) + 1)
            for (int32_t v : cluster)
                if (gain_[index(v)] < most) {
                    most = gain_[index(v)];
                    leaves = v;
                }
        most = std::min(most, -kWorthJoining);
        for (int32_t u : candidates_)
            if (gain_[index(u)] < most)  // its own part is not negative
                if (const double change = gain_[index(u)] + avoids(u); change < most) {
                    most = change;
                    joins = u;
                }
        for (int32_t v : cluster) gain_[index(v)] = 0.0;
        for (int32_t u : candidates_) {
            gain_[index(u)] = 0.0;
            is_candidate_[index(u)] = 0;
        }
        candidates_.clear();
        if (joins >= 0) {
            inside_[index(joins)] = 1;
            cluster.push_back(joins);
        } else if (leaves >= 0) {
            inside_[index(leaves)] = 0;
            std::erase(cluster, leaves);
        } else {
            for (int32_t v : cluster) inside_[index(v)] = 0;
            if (expected > level_ - violation_) cluster.clear();
            return;
        }
    }
}

std::vector<int32_t> Separation::grow(int start, Random& random, size_t largest) {
    if (!begin(start, random)) return {};
    double least = expected_;
    size_t best = size_;
    while (size_ < largest && size_ < best + kMostWithoutGain) {
        const int next = choose_next(random);
        if (next < 0) break;
        join(next);
        if (expected_ < least - 1e-3) {
            least = expected_;
            best = size_;
        }
    }
    std::vector<int32_t> cluster;
    for (size_t i = 0; i < best; ++i) cluster.push_back(members_[i].variable);
    clear();
    if (least < level_ - violation_) improve(cluster);
    else cluster.clear();
    std::sort(cluster.begin(), cluster.end());
    return cluster;
}

namespace {

// Variables and choices of the groups: small groups find most cuts, larger ones what is left.
constexpr GroupLimits kGroups[] = {{5, 60}, {8, 120}};
static_assert(kGroups[1].variables <= Pricing::kLargestGroup);
constexpr float kLikely = 0.005f;  // less likely sets are left out: they only make groups smaller
constexpr size_t kFew = 30;        // at least this many are taken, if there are

Support support_of(const SoftAscent& ascent) {
    std::vector<int32_t> child, parents;
    std::vector<double> weight;
    const Probabilities probabilities(ascent, kLikely);
    for (int v = 0; v < probabilities.n(); ++v)
        for (const auto& choice : probabilities.of(v)) {
            child.push_back(v);
            parents.insert(parents.end(), choice.members, choice.members + probabilities.slots());
            weight.push_back(static_cast<double>(choice.probability));
        }
    return {probabilities.n(), child, parents, probabilities.slots(), weight};
}

/// The cut with shortfalls instead of values, if these are small enough.
std::optional<Cut> as_cut(const LocalCut& local) {
    const size_t size = local.group.size(), subsets = size_t{1} << size;
    Cut cut{{local.group.begin(), local.group.end()}, 0, {}, 0};
    int64_t sum = 0;
    for (size_t i = 0; i < size; ++i) {
        const int64_t* const values = local.values.data() + i * subsets;
        const int64_t most = values[subsets - 1];
        sum += most;
        if (most - values[0] > UINT8_MAX) return std::nullopt;
        for (size_t s = 0; s < subsets; ++s)
            cut.shortfalls.push_back(static_cast<uint8_t>(most - values[s]));
    }
    cut.due = static_cast<int>(sum - local.limit);
    return cut;
}

}  // namespace

std::vector<Cut> violated_local_cuts(const SoftAscent& ascent, double violation,
                                     const Budget& budget, Team& team) {
    const Support support = support_of(ascent);
    std::vector<LocalCut> found;
    for (const GroupLimits& limits : kGroups)
        for (LocalCut& cut : find_local_cuts(support, limits, budget, team))
            if (cut.violation >= violation) found.push_back(std::move(cut));
    std::stable_sort(found.begin(), found.end(), [](const LocalCut& a, const LocalCut& b) {
        return a.violation > b.violation;
    });
    const size_t most = std::max(kFew, index(ascent.n()));
    std::vector<Cut> cuts;
    for (size_t i = 0; i < found.size() && cuts.size() < most; ++i)
        if (auto cut = as_cut(found[i])) cuts.push_back(std::move(*cut));
    return cuts;
}

}  // namespace forebear
