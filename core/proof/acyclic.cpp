#include "proof/acyclic.h"

#include <algorithm>
#include <limits>

namespace forebear {

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

}  // namespace forebear
