// Cores: groups of parents that knowledge about paths may require of a variable (growth.h).
#include <algorithm>
#include <cmath>
#include <iterator>

#include "common/index.h"
#include "scoring/growth.h"

namespace forebear {

/// The core of these members; it is made if it is not there.
GrowingSets::Core& GrowingSets::core(Variable& variable, std::span<const uint16_t> members) {
    for (Core& core : variable.cores)
        if (std::equal(core.members.begin(), core.members.end(), members.begin(), members.end()))
            return core;
    if (variable.cores.size() == 1)
        for (const GrownSet& set : variable.sets) variable.listed.insert(set.key);
    for (GrownSet& set : variable.sets) set.asked = false;
    variable.cores.push_back({{members.begin(), members.end()}, key(members), {}, {}});
    Core& made = variable.cores.back();
    for (const auto* sets : {&variable.sets, &variable.fresh})
        for (const GrownSet& set : *sets)
            if (has_all({set.members, set.size}, members)) made.known.emplace(set.key, set.score);
    return made;
}

/// Scores the set of the members of a core, which is the smallest with all of them.
void GrowingSets::score_core(Asking& state, int child, Core& core) {
    if (core.members.empty() || core.known.contains(core.key)) return;
    const std::span<const uint16_t> rest(core.members.data(), core.members.size() - 1);
    const int32_t last[] = {core.members.back()};
    BudgetOfRows no_limit;
    evaluate(state, child, rest, last, no_limit);
    list(variables_[index(child)], made(rest, last[0], state.scores[0]));
}

void GrowingSets::require(const std::vector<Need>& needs, std::span<const int32_t> ranks,
                          int threads, const Budget& budget) {
    std::vector<std::vector<const Need*>> own(index(n()));
    for (const Need& need : needs) own[index(need.child)].push_back(&need);
    const size_t networks = ranks.size() / index(n());
    Team team(threads);
    for_each_item(
        team, n(), [&](int) { return make_asking(budget); },
        [&](int v, Asking& state) {
            Variable& variable = variables_[index(v)];
            for (const Need* need : own[index(v)]) {
                Core& core = this->core(variable, need->core);
                if (networks == 0) continue;
                score_core(state, v, core);
                ask(state, v, core, core.members);
                for (size_t k = 0; k < networks && !state.budget.spent(); ++k) {
                    const GrownSet& set = variable.sets[index(ranks[k * index(n()) + index(v)])];
                    std::vector<uint16_t> both;
                    std::set_union(set.members, set.members + set.size, core.members.begin(),
                                   core.members.end(), std::back_inserter(both));
                    if (static_cast<int>(both.size()) <= options_.max_parents[index(v)])
                        ask_around(state, v, core, both);
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
        team, n(), [&](int) { return make_asking(no_limit); },
        [&](int v, Asking& state) {
            const GrownSet set = variables_[index(v)].sets[index(ranks[index(v)])];
            const std::span<const uint16_t> parents(set.members, set.size);
            double* const row = matrix + index(v) * index(n());
            const auto try_with = [&](std::span<const uint16_t> others) {
                if (static_cast<int>(others.size()) >= options_.max_parents[index(v)]) return;
                const std::vector<int32_t> candidates = possible(v, others);
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
