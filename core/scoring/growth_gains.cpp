// The gain in score of each child from each further parent (growth.h).
#include <algorithm>
#include <cmath>

#include "common/index.h"
#include "common/parallel.h"
#include "scoring/growth.h"

namespace forebear {

void GrowingSets::gains(const std::vector<std::vector<uint16_t>>& network,
                        std::span<const double> scores, double* matrix, int threads) {
    std::fill_n(matrix, index(n()) * index(n()), -HUGE_VAL);
    const Budget no_limit(std::nullopt);
    Team team(threads);
    for_each_item(
        team, n(), [&](int) { return make_workspace(no_limit); },
        [&](int v, Workspace& state) {
            const std::vector<uint16_t>& parents = network[index(v)];
            double* const row = matrix + index(v) * index(n());
            const auto try_with = [&](std::span<const uint16_t> others) {
                if (static_cast<int>(others.size()) >= options_.max_parents[index(v)]) return;
                const std::vector<int32_t> candidates = allowed_candidates(v, others);
                evaluate(state, v, others, candidates, state.budget);
                for (size_t i = 0; i < candidates.size(); ++i) {
                    double& gain = row[candidates[i]];
                    gain = std::max(gain, state.scores[i] - scores[index(v)]);
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
