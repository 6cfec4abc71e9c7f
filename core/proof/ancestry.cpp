#include "proof/ancestry.h"

#include <algorithm>

#include "common/index.h"

namespace forebear {

namespace {

/// Which variables come before each variable, as bits.
class Precedence {
public:
    explicit Precedence(int n) : n_(index(n)), words_((n_ + 63) / 64), bits_(n_ * words_, 0) {}

    bool has(size_t v, size_t u) const { return bits_[v * words_ + u / 64] >> (u % 64) & 1; }
    void add(size_t v, size_t u) { bits_[v * words_ + u / 64] |= uint64_t{1} << (u % 64); }
    /// Adds what comes before the variables that come before; by the algorithm of Warshall (1962).
    void close() {
        for (size_t u = 0; u < n_; ++u)
            for (size_t v = 0; v < n_; ++v)
                if (has(v, u))
                    for (size_t w = 0; w < words_; ++w) bits_[v * words_ + w] |= bits_[u * words_ + w];
    }
    bool cyclic() const {
        for (size_t v = 0; v < n_; ++v)
            if (has(v, v)) return true;
        return false;
    }

private:
    size_t n_, words_;
    std::vector<uint64_t> bits_;
};

template <class Visit>
void visit_members(const SetRows& sets, size_t set, const Visit& visit) {
    for (size_t k = 0; k < index(sets.slots); ++k)
        if (const int32_t p = sets.parents[set * index(sets.slots) + k]; p >= 0 && p < sets.n())
            visit(index(p));
}

}  // namespace

bool propagate_ancestry(const SetRows& sets, std::span<const std::pair<int, int>> before,
                        std::span<uint8_t> allowed) {
    const auto n = index(sets.n());
    std::vector<int64_t> held(n);
    while (true) {
        Precedence precedence(sets.n());
        for (const auto& [u, v] : before) precedence.add(index(v), index(u));
        for (size_t v = 0; v < n; ++v) {
            std::fill(held.begin(), held.end(), 0);
            int64_t count = 0;
            for (auto s = index(sets.starts[v]); s < index(sets.starts[v + 1]); ++s) {
                if (!allowed[s]) continue;
                ++count;
                visit_members(sets, s, [&](size_t p) { ++held[p]; });
            }
            if (count == 0) return false;
            for (size_t p = 0; p < n; ++p)
                if (held[p] == count) precedence.add(v, p);
        }
        precedence.close();
        if (precedence.cyclic()) return false;
        bool changed = false;
        for (size_t v = 0; v < n; ++v)
            for (auto s = index(sets.starts[v]); s < index(sets.starts[v + 1]); ++s) {
                if (!allowed[s]) continue;
                bool closes = false;
                visit_members(sets, s, [&](size_t p) { closes |= precedence.has(p, v); });
                if (!closes) continue;
                allowed[s] = 0;
                changed = true;
            }
        if (!changed) return true;
    }
}

}  // namespace forebear
