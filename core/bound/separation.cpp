#include "bound/separation.h"

#include <algorithm>
#include <limits>

#include "common/index.h"

namespace forebear {

namespace {
constexpr float kNoChance = 1e-3f;  // choices less likely are left out
constexpr double kViolation = 0.1;  // a cluster violated by less is not worth having
constexpr size_t kTried = 8;        // candidates looked at closely
constexpr double kSkipped = 0.25;   // of them, by chance: not always the same cluster
constexpr double kNoChange = 1e-6;  // of an expectation
constexpr size_t kHopeless = 100;   // variables joined without a gain

template <class Visit>
void visit_members(const Chances::Choice& choice, int slots, const Visit& visit) {
    for (int k = 0; k < slots && choice.members[k] != kNoParent; ++k) visit(choice.members[k]);
}

}  // namespace

Chances::Chances(const SoftAscent& ascent) : slots_(ascent.slots()), choices_(index(ascent.n())) {
    for (int v = 0; v < ascent.n(); ++v) {
        double sum = 0.0;
        for (int i = 0; i < ascent.count(v); ++i) sum += ascent.weights(v)[i];
        auto& own = choices_[index(v)];
        for (int i = 0; i < ascent.count(v); ++i) {
            const auto chance = static_cast<float>(ascent.weights(v)[i] / sum);
            if (chance > kNoChance && ascent.members(v, i)[0] != kEveryVariable)
                own.push_back({chance, ascent.members(v, i)});
        }
    }
}

Separation::Separation(const Chances& chances, int level)
    : chances_(chances),
      level_(level),
      inside_(index(chances.n())),
      gain_(index(chances.n())),
      is_candidate_(index(chances.n())) {}

/// How many of its members are in the cluster.
int Separation::held(const Chances::Choice& choice) const {
    int result = 0;
    visit_members(choice, chances_.slots(), [&](uint16_t p) { result += inside_[p]; });
    return result;
}

double Separation::avoids(int v) const {
    double chance = 1.0;  // what is left out counts as avoiding
    for (const auto& choice : chances_.of(v))
        if (hits(choice)) chance -= static_cast<double>(choice.chance);
    return chance;
}

void Separation::add_gains(const Chances::Choice& choice, double chance) {
    visit_members(choice, chances_.slots(), [&](uint16_t p) {
        gain_[p] += chance;
        if (!is_candidate_[p]) {
            is_candidate_[p] = 1;
            candidates_.push_back(p);
        }
    });
}

void Separation::join(int v) {
    inside_[index(v)] = 1;
    for (size_t i = 0; i < size_; ++i) {
        const auto& choices = chances_.of(members_[i].variable);
        std::erase_if(members_[i].avoiding, [&](int32_t c) {
            const auto& choice = choices[index(c)];
            bool holds = false;
            visit_members(choice, chances_.slots(), [&](uint16_t p) { holds |= p == v; });
            if (!holds) return false;
            const int now = held(choice);
            if (now == level_ - 1) add_gains(choice, static_cast<double>(choice.chance));
            if (now < level_) return false;
            expected_ -= static_cast<double>(choice.chance);
            add_gains(choice, -static_cast<double>(choice.chance));
            return true;
        });
    }
    if (size_ == members_.size()) members_.emplace_back();
    Member& joined = members_[size_++];
    joined.variable = v;
    joined.avoiding.clear();
    const auto& choices = chances_.of(v);
    expected_ += 1.0;
    for (size_t c = 0; c < choices.size(); ++c) {
        const int now = held(choices[c]);
        if (now >= level_) {
            expected_ -= static_cast<double>(choices[c].chance);
        } else {
            joined.avoiding.push_back(static_cast<int32_t>(c));
            if (now == level_ - 1) add_gains(choices[c], static_cast<double>(choices[c].chance));
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

/// One of the variable's choices, drawn by its chance; null if none is drawn.
const Chances::Choice* Separation::draw(int v, Random& random) const {
    double left = random.uniform();
    for (const auto& choice : chances_.of(v)) {
        left -= static_cast<double>(choice.chance);
        if (left <= 0.0) return &choice;
    }
    return nullptr;
}

/// A first cluster: the start, and as many of its parents as hit it. Tells whether there is one.
bool Separation::begin(int start, Random& random) {
    const Chances::Choice* const choice = draw(start, random);
    if (!choice) return false;
    int size = 0;
    visit_members(*choice, chances_.slots(), [&](uint16_t) { ++size; });
    if (size < level_) return false;
    const int first = random.below(size);
    join(start);
    for (int i = 0; i < level_; ++i) join(choice->members[(first + i) % size]);
    return true;
}

/// The variable whose joining lowers the expectation the most, or raises it the least; -1 if none
/// matters.
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
        if (-gain > best_change) break;  // the others cannot be better
        if (random.uniform() < kSkipped) continue;
        const double change = avoids(candidates_[i]) - gain;
        if (change < best_change) {
            best = candidates_[i];
            best_change = change;
        }
    }
    return best;
}

/// Drops members without which the cluster is violated no less.
void Separation::shrink(std::vector<int32_t>& cluster) {
    for (int32_t v : cluster) inside_[index(v)] = 1;
    while (cluster.size() > index(level_) + 1) {
        // A member's leaving adds the choices that hit only with it, and takes its own that avoid
        // the cluster.
        for (int32_t v : cluster) gain_[index(v)] = -avoids(v);
        for (int32_t v : cluster)
            for (const auto& choice : chances_.of(v)) {
                if (held(choice) != level_) continue;
                visit_members(choice, chances_.slots(), [&](uint16_t p) {
                    if (inside_[p]) gain_[p] += static_cast<double>(choice.chance);
                });
            }
        const auto leaving = std::min_element(
            cluster.begin(), cluster.end(),
            [&](int32_t a, int32_t b) { return gain_[index(a)] < gain_[index(b)]; });
        const double change = gain_[index(*leaving)];
        for (int32_t v : cluster) gain_[index(v)] = 0.0;
        if (change > kNoChange) break;
        inside_[index(*leaving)] = 0;
        cluster.erase(leaving);
    }
    for (int32_t v : cluster) inside_[index(v)] = 0;
}

std::vector<int32_t> Separation::grow(int start, Random& random, size_t largest) {
    if (!begin(start, random)) return {};
    double least = expected_;
    size_t best = size_;
    while (size_ < largest && size_ < best + kHopeless) {
        const int next = choose_next(random);
        if (next < 0) break;
        join(next);
        if (expected_ < least - 1e-3) {
            least = expected_;
            best = size_;
        }
    }
    std::vector<int32_t> cluster;
    if (least < level_ - kViolation)
        for (size_t i = 0; i < best; ++i) cluster.push_back(members_[i].variable);
    clear();
    shrink(cluster);
    std::sort(cluster.begin(), cluster.end());
    return cluster;
}

}  // namespace forebear
