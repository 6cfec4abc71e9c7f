// Groups of parents that knowledge about paths may require of a variable (growth.h).
#include <algorithm>
#include <cmath>
#include <iterator>

#include "common/index.h"
#include "scoring/growth.h"

namespace forebear {

/// Returns the required group of these members, and creates it if necessary.
GrowingSets::RequiredParents& GrowingSets::required_parents(Variable& variable,
                                                            std::span<const uint16_t> members) {
    for (RequiredParents& required : variable.required)
        if (std::ranges::equal(required.members, members)) return required;
    if (variable.required.size() == 1)
        for (const StoredSet& set : variable.sets) variable.listed.insert(set.key);
    for (StoredSet& set : variable.sets) set.requested = false;
    variable.required.push_back({{members.begin(), members.end()}, key(members), {}, {}});
    RequiredParents& added = variable.required.back();
    for (const auto* sets : {&variable.sets, &variable.new_sets})
        for (const StoredSet& set : *sets)
            if (has_all({set.members, set.size}, members)) added.scores.emplace(set.key, set.score);
    return added;
}

/// Scores the required group itself, the smallest set with all its members.
void GrowingSets::score_required(Workspace& state, int child, RequiredParents& required) {
    if (required.members.empty() || required.scores.contains(required.key)) return;
    const std::span<const uint16_t> rest(required.members.data(), required.members.size() - 1);
    const int32_t last[] = {required.members.back()};
    BudgetOfRows no_limit;
    evaluate(state, child, rest, last, no_limit);
    list(variables_[index(child)], make_set(rest, last[0], state.scores[0]));
}

void GrowingSets::require(const std::vector<Need>& needs, std::span<const int32_t> ranks,
                          int threads, const Budget& budget) {
    std::vector<std::vector<const Need*>> own(index(n()));
    for (const Need& need : needs) own[index(need.child)].push_back(&need);
    const size_t networks = ranks.size() / index(n());
    Team team(threads);
    for_each_item(
        team, n(), [&](int) { return make_workspace(budget); },
        [&](int v, Workspace& state) {
            Variable& variable = variables_[index(v)];
            for (const Need* need : own[index(v)]) {
                RequiredParents& required = required_parents(variable, need->parents);
                if (networks == 0) continue;
                score_required(state, v, required);
                request(state, v, required, required.members);
                for (size_t k = 0; k < networks && !state.budget.spent(); ++k) {
                    const StoredSet& set = variable.sets[index(ranks[k * index(n()) + index(v)])];
                    std::vector<uint16_t> both;
                    std::set_union(set.members, set.members + set.size, required.members.begin(),
                                   required.members.end(), std::back_inserter(both));
                    if (static_cast<int>(both.size()) <= options_.max_parents[index(v)])
                        request_with_exchanges(state, v, required, both);
                }
            }
            state.used.clear();
            for (size_t k = 0; k < networks; ++k)
                state.used.push_back(ranks[k * index(n()) + index(v)]);
            merge(variable, state.used);
        });
    count_families();
}

void GrowingSets::gains(std::span<const int32_t> ranks, double* matrix, int threads) {
    std::fill_n(matrix, index(n()) * index(n()), -HUGE_VAL);
    const Budget no_limit(std::nullopt);
    Team team(threads);
    for_each_item(
        team, n(), [&](int) { return make_workspace(no_limit); },
        [&](int v, Workspace& state) {
            const StoredSet set = variables_[index(v)].sets[index(ranks[index(v)])];
            const std::span<const uint16_t> parents(set.members, set.size);
            double* const row = matrix + index(v) * index(n());
            const auto try_with = [&](std::span<const uint16_t> others) {
                if (static_cast<int>(others.size()) >= options_.max_parents[index(v)]) return;
                const std::vector<int32_t> candidates = allowed_candidates(v, others);
                evaluate(state, v, others, candidates, state.budget);
                for (size_t i = 0; i < candidates.size(); ++i) {
                    double& gain = row[candidates[i]];
                    gain = std::max(gain, state.scores[i] - set.score);
                }
            };
            try_with(parents);
            std::vector<uint16_t> smaller;
            for (size_t i = 0; i < parents.size(); ++i) {
                smaller.assign(parents.begin(), parents.end());
                smaller.erase(smaller.begin() + static_cast<std::ptrdiff_t>(i));
                try_with(smaller);
            }
            for (const uint16_t own : parents) row[own] = 0.0;
        });
}

}  // namespace forebear
