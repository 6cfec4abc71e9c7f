#include "proof/acyclic.h"

#include <algorithm>
#include <bit>
#include <limits>

#include "common/clones.h"
#include "common/index.h"

namespace forebear {

namespace {

template <class Value>
[[gnu::always_inline]] inline void close_up(Value* tables, int count, int size) {
    const size_t subsets = size_t{1} << size;
    for (int v = 0; v < count; ++v) {
        Value* const own = tables + (index(v) << size);
        for (size_t step = 1; step < subsets; step *= 2)
            for (size_t block = 0; block < subsets; block += 2 * step)
                for (size_t s = block; s < block + step; ++s)
                    own[s + step] = own[s] > own[s + step] ? own[s] : own[s + step];
    }
}

constexpr size_t kSubsetsAtOnce = 8;  // subsets that the compiler handles at once

/// Subsets in ascending order, so that smaller ones are ready; eight at once that differ in the
/// first three variables.
template <class Value>
[[gnu::always_inline]] inline void fill(const Value* tables, int size, Value* best) {
    const size_t subsets = size_t{1} << size;
    const Value never = std::numeric_limits<Value>::lowest() / 4;
    const size_t lanes = std::min(kSubsetsAtOnce, subsets);
    for (size_t s = 0; s < subsets; s += lanes) {
        Value own[kSubsetsAtOnce];
        for (size_t j = 0; j < kSubsetsAtOnce; ++j) own[j] = never;
        if (s == 0) own[0] = 0;
        for (size_t rest = s; rest; rest &= rest - 1) {
            const auto v = index(std::countr_zero(rest));
            const size_t before = s ^ size_t{1} << v;
            const Value* const then = best + before;
            const Value* const table = tables + (v << size) + before;
            for (size_t j = 0; j < kSubsetsAtOnce; ++j) {
                const Value value = then[j] + table[j];
                own[j] = value > own[j] ? value : own[j];
            }
        }
        for (size_t j = 1; j < lanes; ++j)
            for (size_t v = 0; v < 3; ++v)
                if (const size_t before = j ^ size_t{1} << v; j >> v & 1)
                    own[j] = std::max(own[j], own[before] + tables[(v << size) + s + before]);
        std::copy(own, own + lanes, best + s);
    }
}

}  // namespace

FOREBEAR_CLONES void close_tables(double* tables, int count, int size) {
    close_up(tables, count, size);
}
FOREBEAR_CLONES void close_tables(int64_t* tables, int count, int size) {
    close_up(tables, count, size);
}
FOREBEAR_CLONES void fill_forward(const double* tables, int size, double* best) {
    fill(tables, size, best);
}
FOREBEAR_CLONES void fill_forward(const int64_t* tables, int size, int64_t* best) {
    fill(tables, size, best);
}

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
