#include "common/parentsets.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "common/index.h"
#include "common/parallel.h"

namespace forebear {

namespace {

// With fewer sets, one thread is fast enough: it checks this many in 3 milliseconds.
constexpr int64_t kWorthThreads = 1 << 20;

/// The first defect of one variable's sets, or an empty string.
template <class Id>
std::string find_defect_of(const ParentSetsView<Id>& sets, int v) {
    const int64_t begin = sets.offsets[index(v)], end = sets.offsets[index(v) + 1];
    const double* const scores = sets.scores.data();
    const auto where = [&](int64_t i) {
        return " (variable " + std::to_string(v) + ", rank " + std::to_string(i - begin + 1) + ")";
    };
    bool has_empty = false;
    for (int64_t i = begin; i < end; ++i) {
        if (std::isnan(scores[i]) || scores[i] == std::numeric_limits<double>::infinity())
            return "a score is not a number" + where(i);
        if (i > begin && !(scores[i] <= scores[i - 1])) return "not sorted best first" + where(i);
        Id before = 0;
        bool ended = false;
        for (int slot = 0; slot < sets.slots; ++slot) {
            const Id parent = sets.parent(slot, i);
            if (parent == sets.kNone) {
                ended = true;
                continue;
            }
            if (ended || index(parent) >= index(sets.n()) || index(parent) == index(v) ||
                (slot > 0 && parent <= before))
                return "a set's parents are not valid" + where(i);
            before = parent;
        }
        if (sets.slots == 0 || sets.parent(0, i) == sets.kNone) {
            if (has_empty) return "the empty set is there twice" + where(i);
            has_empty = true;
        }
    }
    return has_empty ? "" : "variable " + std::to_string(v) + " lacks the empty set";
}

}  // namespace

template <class Id>
std::string find_defect(const ParentSetsView<Id>& sets, int threads) {
    const int n = sets.n();
    if (n < 1) return "there are no variables";
    if (sets.offsets.front() != 0 || sets.offsets.back() != sets.total() ||
        !std::is_sorted(sets.offsets.begin(), sets.offsets.end()))
        return "the sets do not add up";
    std::vector<std::string> defects(index(n));
    for_each_item(n, sets.total() < kWorthThreads ? 1 : threads,
                  [&](int v) { defects[index(v)] = find_defect_of(sets, v); });
    for (const std::string& defect : defects)
        if (!defect.empty()) return defect;
    return {};
}

template std::string find_defect(const ParentSetsView<uint16_t>&, int);
template std::string find_defect(const ParentSetsView<uint32_t>&, int);

}  // namespace forebear
