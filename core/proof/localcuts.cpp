#include "proof/localcuts.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <set>

#include "common/index.h"
#include "proof/hull.h"

namespace forebear {

namespace {

constexpr double kFractional = 1e-3;       // an arc this far from 0 and 1 is fractional
constexpr double kLocallyViolated = 2e-3;  // smaller violations are not worth a cut
constexpr double kLinked = 1e-6;           // weaker links do not count
// Coefficients are fractions with a denominator up to the first number, else they are rounded to
// multiples of the second: the corners of small polyhedra have small denominators.
constexpr int kMostDenominator = 24, kOtherwise = 2520;
constexpr double kWhole = 1e-4;  // how near to a whole number a multiple must be

bool is_fractional(double arc) { return std::min(arc, 1.0 - arc) > kFractional; }

std::vector<GroupChoice> choices_of(const Support& support, const std::vector<int>& group) {
    std::vector<size_t> bit(index(support.n()), 0);
    for (size_t b = 0; b < group.size(); ++b) bit[index(group[b])] = size_t{1} << b;
    std::vector<GroupChoice> choices;
    for (size_t i = 0; i < group.size(); ++i) {
        const size_t first = choices.size();
        for (const SupportSet& set : support.of(group[i])) {
            size_t parents = 0;
            for (int p : set.members) parents |= bit[index(p)];
            if (parents) choices.push_back({static_cast<int>(i), parents, set.weight});
        }
        const auto own = choices.begin() + static_cast<std::ptrdiff_t>(first);
        std::stable_sort(own, choices.end(), [](const GroupChoice& a, const GroupChoice& b) {
            return a.parents < b.parents;
        });
        size_t last = first;
        for (size_t j = first + 1; j < choices.size(); ++j)
            if (choices[j].parents == choices[last].parents)
                choices[last].weight += choices[j].weight;
            else
                choices[++last] = choices[j];
        if (choices.size() > first) choices.resize(last + 1);
    }
    return choices;
}

/// Adds the variables most strongly linked to those of a group.
std::vector<int> collect(const Support& support, const ArcWeights& arcs, std::vector<int> group,
                         const GroupLimits& limits) {
    const auto link = [&](int a, int b) { return arcs(a, b) + arcs(b, a); };
    std::vector<double> strength(index(support.n()), 0.0);
    for (size_t i = 0; i + 1 < group.size(); ++i)
        for (int u : support.cyclic()) strength[index(u)] += link(u, group[i]);
    while (group.size() < index(limits.variables)) {
        int best = -1;
        for (int u : support.cyclic()) {
            strength[index(u)] += link(u, group.back());
            if (std::find(group.begin(), group.end(), u) == group.end() &&
                (best < 0 || strength[index(u)] > strength[index(best)] + kLinked))
                best = u;
        }
        if (best < 0 || strength[index(best)] <= kLinked) break;
        group.push_back(best);
        std::vector<int> sorted = group;
        std::sort(sorted.begin(), sorted.end());
        if (choices_of(support, sorted).size() > index(limits.choices)) {
            group.pop_back();
            break;
        }
    }
    std::sort(group.begin(), group.end());
    return group;
}

/// Multiplies by the smallest denominator with which all coefficients are nearly whole.
std::vector<int64_t> as_whole(const std::vector<double>& coefficients) {
    int chosen = kOtherwise;
    for (int d = 1; d <= kMostDenominator && chosen == kOtherwise; ++d)
        if (std::all_of(coefficients.begin(), coefficients.end(), [&](double c) {
                return std::abs(c * d - std::round(c * d)) < kWhole * d;
            }))
            chosen = d;
    std::vector<int64_t> whole;
    for (double c : coefficients) whole.push_back(std::llround(c * chosen));
    return whole;
}

/// Raises the values of one variable after the other as far as no acyclic choice exceeds the largest
/// value of all. Returns that value; the value of no parents becomes 0.
int64_t raise_values(GroupTable<int64_t>& table) {
    const size_t subsets = table.subsets();
    int64_t limit = table.forward().back();
    std::vector<int64_t> others(subsets);
    for (int v = 0; v < table.size(); ++v) {
        const std::vector<int64_t>& first = table.forward();
        const std::vector<int64_t> rest = table.backward();
        const size_t bit = size_t{1} << v;
        // The most that the others can have if v comes right after a subset.
        for (size_t s = 0; s < subsets; ++s)
            others[s] =
                s & bit ? std::numeric_limits<int64_t>::min() / 4 : first[s] + rest[s | bit];
        // v may have these parents wherever all of them come before it.
        for (size_t step = 1; step < subsets; step *= 2)
            for (size_t block = 0; block < subsets; block += 2 * step)
                for (size_t s = block; s < block + step; ++s)
                    others[s] = std::max(others[s], others[s + step]);
        const int64_t alone = limit - others[0];
        for (size_t s = 0; s < subsets; ++s) table.at(v, s) = limit - others[s & ~bit] - alone;
        limit -= alone;
    }
    return limit;
}

std::optional<LocalCut> separate(const Support& support, const std::vector<int>& group) {
    const auto choices = choices_of(support, group);
    if (choices.size() < 2) return std::nullopt;
    const int size = static_cast<int>(group.size());
    const auto coefficients = separate_from_hull(size, choices, kLocallyViolated);
    if (coefficients.empty()) return std::nullopt;
    const std::vector<int64_t> whole = as_whole(coefficients);
    GroupTable<int64_t> table(size);
    for (size_t j = 0; j < choices.size(); ++j)
        table.at(choices[j].variable, choices[j].parents) = whole[j];
    table.close_upwards();
    const int64_t limit = raise_values(table);
    double sum = -static_cast<double>(limit);
    for (const GroupChoice& choice : choices)
        sum += static_cast<double>(table.at(choice.variable, choice.parents)) * choice.weight;
    const int64_t largest = *std::max_element(table.values().begin(), table.values().end());
    if (largest <= 0 || sum < kLocallyViolated * static_cast<double>(largest)) return std::nullopt;
    return LocalCut{group, table.values(), limit, sum / static_cast<double>(largest)};
}

}  // namespace

std::vector<LocalCut> find_local_cuts(const Support& support, const GroupLimits& limits,
                                      const Budget& budget, Team& team) {
    const ArcWeights arcs(support);
    std::set<std::vector<int>> distinct;
    for (int v : support.cyclic()) {
        bool split = false;
        for (int u : support.cyclic())
            if (is_fractional(arcs(v, u))) {
                split = true;
                distinct.insert(collect(support, arcs, {u, v}, limits));
            }
        if (split) distinct.insert(collect(support, arcs, {v}, limits));
    }
    const std::vector<std::vector<int>> groups(distinct.begin(), distinct.end());
    std::vector<std::optional<LocalCut>> found(groups.size());
    for_each_item(team, static_cast<int>(groups.size()), [&](int i) {
        if (!budget.spent()) found[index(i)] = separate(support, groups[index(i)]);
    });
    std::vector<LocalCut> cuts;
    for (auto& cut : found)
        if (cut) cuts.push_back(std::move(*cut));
    std::stable_sort(cuts.begin(), cuts.end(),
                     [](const LocalCut& a, const LocalCut& b) { return a.violation > b.violation; });
    return cuts;
}

}  // namespace forebear
