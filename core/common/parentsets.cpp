#include "common/parentsets.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "common/index.h"
#include "common/parallel.h"

namespace forebear {

namespace {

constexpr int64_t kWorthThreads = 1 << 20;  // with fewer sets, one thread is fast enough

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

/// Whether find_defect_of() finds nothing. This is several times faster: there are no branches, and
/// every loop is over values of one width.
template <class Id>
bool is_valid(const ParentSetsView<Id>& sets, int v) {
    const int64_t begin = sets.offsets[index(v)], count = sets.offsets[index(v) + 1] - begin;
    if (sets.slots == 0 || count == 0) return false;  // the slow check handles these
    // If the first is below infinity and no other exceeds the one before, all are numbers.
    const double* const scores = sets.scores.data() + begin;
    int64_t unsorted = !(scores[0] < std::numeric_limits<double>::infinity());
    for (int64_t i = 1; i < count; ++i) unsorted |= scores[i] <= scores[i - 1] ? 0 : 1;
    const Id n = static_cast<Id>(sets.n()), own = static_cast<Id>(v), none = sets.kNone;
    const auto wrong = [=](Id parent) -> Id {
        return (parent == own) | ((parent >= n) & (parent != none));
    };
    // Unused places have the largest value, so that no parent can follow one.
    const Id* row = sets.row(0) + begin;
    Id bad = 0;
    int64_t empty = 0;
    for (int64_t i = 0; i < count; ++i) bad |= wrong(row[i]);
    for (int64_t i = 0; i < count; ++i) empty += row[i] == none;
    for (int slot = 1; slot < sets.slots; ++slot) {
        const Id* const before = std::exchange(row, sets.row(slot) + begin);
        for (int64_t i = 0; i < count; ++i)
            bad |= wrong(row[i]) | static_cast<Id>((row[i] <= before[i]) & (row[i] != none));
    }
    return !unsorted && !bad && empty == 1;
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
    for_each_item(n, sets.total() < kWorthThreads ? 1 : threads, [&](int v) {
        if (!is_valid(sets, v)) defects[index(v)] = find_defect_of(sets, v);
    });
    for (const std::string& defect : defects)
        if (!defect.empty()) return defect;
    return {};
}

template std::string find_defect(const ParentSetsView<uint16_t>&, int);
template std::string find_defect(const ParentSetsView<uint32_t>&, int);

}  // namespace forebear
