#include "common/lattice.h"

#include <algorithm>
#include <bit>

#include "common/clones.h"
#include "common/index.h"

namespace forebear {

namespace {

constexpr size_t kSubsetsAtOnce = 8;  // the compiler vectorizes over these

template <class Value>
[[gnu::always_inline]] inline void raise(Value* table, int size) {
    const size_t subsets = size_t{1} << size;
    for (size_t step = 1; step < subsets; step *= 2)
        for (size_t block = 0; block < subsets; block += 2 * step) {
            Value* const with = table + block + step;
            const Value* const without = table + block;
            for (size_t s = 0; s < step; ++s)
                with[s] = without[s] > with[s] ? without[s] : with[s];
        }
}

/// Visits the subsets in ascending order, so that smaller ones are complete; eight at once, which
/// differ in the first three variables.
template <class Value>
[[gnu::always_inline]] inline void come_last(const Value* tables, int size, Value* best) {
    const size_t subsets = size_t{1} << size, lanes = std::min(kSubsetsAtOnce, subsets);
    for (size_t s = 0; s < subsets; s += lanes) {
        Value own[kSubsetsAtOnce] = {};
        std::copy(best + s, best + s + lanes, own);
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

FOREBEAR_CLONES void raise_to_subsets(double* table, int size) { raise(table, size); }
FOREBEAR_CLONES void raise_to_subsets(int64_t* table, int size) { raise(table, size); }
FOREBEAR_CLONES void raise_by_last(const double* tables, int size, double* best) {
    come_last(tables, size, best);
}
FOREBEAR_CLONES void raise_by_last(const int64_t* tables, int size, int64_t* best) {
    come_last(tables, size, best);
}

}  // namespace forebear
