// The subsets of {0, ..., n-1} of each size, numbered in lexicographic order.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "common/index.h"

namespace forebear {

class Subsets {
public:
    /// Larger binomial coefficients are replaced by this, so that no sum overflows. So many sets of
    /// one size do not fit in memory anyway.
    static constexpr int64_t kMany = int64_t{1} << 48;

    Subsets(int n, int largest)
        : n_(n), largest_(largest), table_(index(n + 1) * index(largest + 1)) {
        for (int i = 0; i <= n; ++i)
            for (int k = 0; k <= largest; ++k)
                at(i, k) = k == 0   ? 1
                           : i == 0 ? 0
                                    : std::min(kMany, at(i - 1, k - 1) + at(i - 1, k));
    }

    /// The binomial coefficient: the number of subsets of size k of i elements.
    int64_t choose(int i, int k) const { return table_[index(i) * index(largest_ + 1) + index(k)]; }
    int64_t count(int k) const { return choose(n_, k); }

    /// The rank of the first set of size k whose members are all v or larger.
    int64_t first_with(int k, int v) const { return count(k) - choose(n_ - v, k); }

    /// The rank of a set (members ascending) among those of its size.
    int64_t rank(std::span<const int> set) const {
        const int k = static_cast<int>(set.size());
        int64_t after = 0;
        for (int i = 0; i < k; ++i) after += choose(n_ - 1 - set[index(i)], k - i);
        return count(k) - 1 - after;
    }

    /// The set of a rank: the inverse of rank().
    void unrank(int64_t rank, std::span<int> set) const {
        const int k = static_cast<int>(set.size());
        int next = 0;
        for (int i = 0; i < k; ++i) {
            while (choose(n_ - 1 - next, k - 1 - i) <= rank)
                rank -= choose(n_ - 1 - next++, k - 1 - i);
            set[index(i)] = next++;
        }
    }

    /// Replaces a set by the next one of its size.
    void advance(std::span<int> set) const {
        const int k = static_cast<int>(set.size());
        int i = k - 1;
        while (i > 0 && set[index(i)] == n_ - k + i) --i;
        ++set[index(i)];
        for (int j = i + 1; j < k; ++j) set[index(j)] = set[index(j - 1)] + 1;
    }

private:
    int64_t& at(int i, int k) { return table_[index(i) * index(largest_ + 1) + index(k)]; }
    int n_, largest_;
    std::vector<int64_t> table_;
};

}  // namespace forebear
