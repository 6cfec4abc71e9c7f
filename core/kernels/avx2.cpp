// The kernels by AVX2: 32 bytes at once.
#include <immintrin.h>

#include "common/platform.h"
#include "kernels/kernels.h"
#include "kernels/plain.inc"

namespace forebear {
namespace {

// Measured cycles for a word of bits in count_rows.
constexpr double kCyclesPerWord = 0.6;

// ---- counting -----------------------------------------------------------------------

// The bits of a byte by two look-ups in a table of sixteen (Muła, Kurz and Lemire, 2018). A sum of
// 31 bytes of at most 8 does not overflow.
template <int T>
void count_block(const uint64_t* const* vectors, const uint64_t* block, size_t begin, size_t end,
                 int32_t* const* out) {
    const __m256i bits = _mm256_setr_epi8(0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4, 0, 1, 1,
                                          2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4);
    const __m256i low = _mm256_set1_epi8(15);
    for (int t = 0; t < T; ++t) {
        for (int half = 0; half < 2; ++half) {
            __m256i total = _mm256_setzero_si256();
            for (size_t w = begin; w < end;) {
                const size_t stop = w + 31 < end ? w + 31 : end;
                __m256i bytes = _mm256_setzero_si256();
                for (; w < stop; ++w) {
                    const __m256i columns = _mm256_loadu_si256(
                        reinterpret_cast<const __m256i*>(block + w * kLanes + half * 4));
                    const __m256i both = _mm256_and_si256(
                        columns, _mm256_set1_epi64x(static_cast<long long>(vectors[t][w])));
                    const __m256i lower = _mm256_shuffle_epi8(bits, _mm256_and_si256(both, low));
                    const __m256i upper = _mm256_shuffle_epi8(
                        bits, _mm256_and_si256(_mm256_srli_epi16(both, 4), low));
                    bytes = _mm256_add_epi8(bytes, _mm256_add_epi8(lower, upper));
                }
                total = _mm256_add_epi64(total, _mm256_sad_epu8(bytes, _mm256_setzero_si256()));
            }
            alignas(32) int64_t sums[4];
            _mm256_store_si256(reinterpret_cast<__m256i*>(sums), total);
            for (int lane = 0; lane < 4; ++lane)
                out[t][half * 4 + lane] += static_cast<int32_t>(sums[lane]);
        }
    }
}

using Lanes = PlainLanes;

// ---- scans --------------------------------------------------------------------------

inline __m256i either(__m256i a, __m256i b) { return _mm256_or_si256(a, b); }
/// A bit for each byte that is not zero.
inline uint32_t mask_of(__m256i marks) {
    return ~static_cast<uint32_t>(
        _mm256_movemask_epi8(_mm256_cmpeq_epi8(marks, _mm256_setzero_si256())));
}

struct Bytes {
    static constexpr int kMostIds = 255, kAtOnce = 32;
    static constexpr bool kPartial = false;
    using Marks = __m256i;
    using Held = __m256i;
    static uint32_t within(int) { return ~uint32_t{0}; }

    struct Ids {
        Ids(const uint8_t* at, int) : ids(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(at))) {
            const __m256i powers = _mm256_setr_epi8(1, 2, 4, 8, 16, 32, 64, -128, 1, 2, 4, 8, 16, 32,
                                                    64, -128, 1, 2, 4, 8, 16, 32, 64, -128, 1, 2, 4,
                                                    8, 16, 32, 64, -128);
            const __m256i half = _mm256_set1_epi8(15);
            nibble = _mm256_and_si256(ids, half);
            bit = _mm256_shuffle_epi8(powers, _mm256_and_si256(_mm256_srli_epi16(ids, 4), half));
        }
        __m256i has(int id) const {
            return _mm256_cmpeq_epi8(ids, _mm256_set1_epi8(static_cast<char>(id)));
        }
        __m256i ids, nibble, bit;
    };

    // A set of up to 256 ids as bits: the low half of an id selects a byte of the table, the high
    // half a bit of that byte.
    class Set {
    public:
        Set(const uint8_t* flags, int, uint8_t bit) {
            const __m256i wanted = _mm256_set1_epi8(static_cast<char>(bit));
            alignas(32) uint8_t low[16] = {}, high[16] = {};
            for (int base = 0; base < 256; base += 32) {
                const __m256i part =
                    _mm256_loadu_si256(reinterpret_cast<const __m256i*>(flags + base));
                uint32_t members = mask_of(_mm256_and_si256(part, wanted));
                for (; members; members &= members - 1) {
                    const int id = base + trailing_zeros(members);
                    (id < 128 ? low : high)[id & 15] |= static_cast<uint8_t>(1 << (id >> 4 & 7));
                }
            }
            low_ = doubled(low);
            high_ = doubled(high);
        }
        __m256i operator()(const Ids& own) const {
            const __m256i row = _mm256_blendv_epi8(_mm256_shuffle_epi8(low_, own.nibble),
                                                   _mm256_shuffle_epi8(high_, own.nibble), own.ids);
            return _mm256_and_si256(row, own.bit);
        }

    private:
        static __m256i doubled(const uint8_t* half) {
            return _mm256_broadcastsi128_si256(
                _mm_load_si128(reinterpret_cast<const __m128i*>(half)));
        }
        __m256i low_, high_;
    };
};

using Words = PlainIds;  // no table of flags by word is large enough

int nonzeros(const int32_t* row, int n, int32_t* places) {
    int count = 0, i = 0;
    for (; i + 8 <= n; i += 8) {
        const __m256i zero = _mm256_cmpeq_epi32(
            _mm256_loadu_si256(reinterpret_cast<const __m256i*>(row + i)), _mm256_setzero_si256());
        for (unsigned left =
                 ~static_cast<unsigned>(_mm256_movemask_ps(_mm256_castsi256_ps(zero))) & 255;
             left; left &= left - 1)
            places[count++] = i + trailing_zeros(left);
    }
    return plain_nonzeros(row, i, n, places, count);
}

}  // namespace
}  // namespace forebear

// After what they use.
#include "kernels/scoring.inc"
#include "kernels/scan.inc"

const forebear::AllKernels forebear::kernels_avx2 = {"avx2", cpu_has_avx2, kScoring, kScans};
