#include "bound/localseparation.h"

#include <algorithm>
#include <cstdint>
#include <optional>

#include "bound/pricing.h"
#include "bound/separation.h"
#include "common/index.h"
#include "exact/localcuts.h"
#include "exact/support.h"

namespace forebear {

namespace {

// Variables and choices of the groups: small groups find most cuts, larger ones what is left.
constexpr GroupLimits kGroups[] = {{5, 60}, {8, 120}};
static_assert(kGroups[1].variables <= Pricing::kLargestGroup);
constexpr float kLikely = 0.005f;  // less likely sets are left out: they only make groups smaller
constexpr size_t kFew = 30;        // at least so many are taken, if there are

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
