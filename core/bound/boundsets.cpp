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
    // A double holds all sums of costs exactly, and the scores themselves fit into 64 bits. The
    // least range avoids a division by zero.
    constexpr double kMostTicks = 0x1p52, kMostScore = 0x1p60, kLeastRange = 0x1p-900;
    double range = kLeastRange, size = kLeastRange;
    for (size_t v = 0; v < index(n_); ++v) {
        int64_t last = offsets_[v + 1] - 1;
        while (!std::isfinite(scores_[last])) --last;
        range += best(static_cast<int>(v)) - scores_[last];
        size += std::max(std::abs(best(static_cast<int>(v))), std::abs(scores_[last]));
    }
    const double ticks = std::min(kMostTicks / range, kMostScore / size);
    ticks_per_nat_ = std::exp2(std::floor(std::log2(ticks)));
}

}  // namespace forebear
