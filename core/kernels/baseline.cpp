// The kernels for any processor.
#include "common/platform.h"
#include "kernels/kernels.h"
#include "kernels/plain.inc"

namespace forebear {
namespace {

// Measured cycles for a word of bits in count_rows.
constexpr double kCyclesPerWord = 1.5;

// ---- counting -----------------------------------------------------------------------

template <int T>
void count_block(const uint64_t* const* vectors, const uint64_t* block, size_t begin, size_t end,
                 int32_t* const* out) {
    for (int t = 0; t < T; ++t) {
        int32_t total[kLanes] = {};
        for (size_t w = begin; w < end; ++w)
            for (int lane = 0; lane < kLanes; ++lane)
                total[lane] += count_ones(block[w * kLanes + lane] & vectors[t][w]);
        for (int lane = 0; lane < kLanes; ++lane) out[t][lane] += total[lane];
    }
}

using Lanes = PlainLanes;

// ---- scans --------------------------------------------------------------------------

using Bytes = PlainIds;
using Words = PlainIds;

int nonzeros(const int32_t* row, int n, int32_t* places) {
    return plain_nonzeros(row, 0, n, places, 0);
}

}  // namespace
}  // namespace forebear

// After what they use.
#include "kernels/scoring.inc"
#include "kernels/scan.inc"

const forebear::AllKernels forebear::kernels_baseline = {"baseline", [] { return true; }, kScoring, kScans};
