#include "bound/boundsets.h"

#include <algorithm>
#include <cmath>

#include "common/index.h"

namespace forebear {

BoundSets::BoundSets(const ParentSetsView<uint16_t>& sets)
    : n_(sets.n()),
      slots_(sets.slots),
      total_(sets.total()),
      offsets_(sets.offsets.begin(), sets.offsets.end()),
      scores_(sets.scores.data()),
      parents_(sets.parents) {
    for (size_t v = 0; v < index(n_); ++v) {
        int64_t end = offsets_[v];
        while (end + 1 < offsets_[v + 1] && slots_ > 0 && parents_[end] != kNoParent) ++end;
        empty_.push_back(static_cast<int>(end - offsets_[v]));
        if (std::isfinite(scores_[end])) ++end;
        counts_.push_back(static_cast<int>(end - offsets_[v]));
        possible_ &= counts_.back() > 0;
    }
    if (possible_) choose_ticks();
}

void BoundSets::choose_ticks() {
    // A double holds all sums of costs exactly. The least range avoids a division by zero.
    constexpr double kMostTicks = 0x1p52, kLeastRange = 0x1p-900;
    double range = kLeastRange;
    for (int v = 0; v < n_; ++v) range += best(v) - scores_[offsets_[index(v)] + count(v) - 1];
    ticks_per_nat_ = std::exp2(std::floor(std::log2(kMostTicks / range)));
}

}  // namespace forebear
