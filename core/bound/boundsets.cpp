#include "bound/boundsets.h"

#include <algorithm>
#include <cmath>

namespace forebear {

BoundSets::BoundSets(std::span<const int64_t> offsets, const double* scores,
                     const uint16_t* parents, int slots, int64_t total)
    : n_(static_cast<int>(offsets.size()) - 1),
      slots_(slots),
      total_(total),
      offsets_(offsets.begin(), offsets.end()),
      scores_(scores),
      parents_(parents) {
    for (size_t v = 0; v < static_cast<size_t>(n_); ++v) {
        int64_t end = offsets_[v];
        while (end + 1 < offsets_[v + 1] && slots > 0 && parents[end] != kNoParent) ++end;
        empty_.push_back(static_cast<int>(end - offsets_[v]));
        if (std::isfinite(scores[end])) ++end;
        counts_.push_back(static_cast<int>(end - offsets_[v]));
        possible_ &= counts_.back() > 0;
    }
    if (possible_) choose_ticks();
}

void BoundSets::choose_ticks() {
    constexpr double kMostTicks = 0x1p52, kLeastRange = 0x1p-900;
    double range = kLeastRange;
    for (int v = 0; v < n_; ++v)
        range += best(v) - scores_[offsets_[static_cast<size_t>(v)] + count(v) - 1];
    ticks_per_nat_ = std::exp2(std::floor(std::log2(kMostTicks / range)));
}

}  // namespace forebear
