// The kernels by AVX2: 32 bytes at once.
#define FOREBEAR_PLAIN_WORDS
#include <immintrin.h>

#include "common/platform.h"
#include "kernels/kernels.h"
#include "kernels/plain.inc"

namespace forebear {
namespace {

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

// A set of up to 256 ids as bits: the low half of an id selects a byte of the table, the high half
// a bit of that byte.
class ByteSet {
public:
    ByteSet(const uint8_t* flags, uint8_t bit) {
        alignas(32) uint8_t low[16] = {}, high[16] = {};
        for (int base = 0; base < 256; base += 32) {
            const __m256i part = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(flags + base));
            const __m256i clear =
                _mm256_cmpeq_epi8(_mm256_and_si256(part, _mm256_set1_epi8(static_cast<char>(bit))),
                                  _mm256_setzero_si256());
            unsigned members = ~static_cast<unsigned>(_mm256_movemask_epi8(clear));
            for (; members; members &= members - 1) {
                const int id = base + trailing_zeros(members);
                (id < 128 ? low : high)[id & 15] |= static_cast<uint8_t>(1 << (id >> 4 & 7));
            }
        }
        low_ = _mm256_broadcastsi128_si256(_mm_load_si128(reinterpret_cast<const __m128i*>(low)));
        high_ = _mm256_broadcastsi128_si256(_mm_load_si128(reinterpret_cast<const __m128i*>(high)));
    }
    /// Nonzero in the bytes whose id is a member.
    __m256i operator()(__m256i ids, __m256i nibble, __m256i bit) const {
        const __m256i row = _mm256_blendv_epi8(_mm256_shuffle_epi8(low_, nibble),
                                               _mm256_shuffle_epi8(high_, nibble), ids);
        return _mm256_and_si256(row, bit);
    }

private:
    __m256i low_, high_;
};

struct SplitIds {
    explicit SplitIds(const uint8_t* at)
        : ids(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(at))) {
        const __m256i powers =
            _mm256_setr_epi8(1, 2, 4, 8, 16, 32, 64, -128, 1, 2, 4, 8, 16, 32, 64, -128, 1, 2, 4, 8,
                             16, 32, 64, -128, 1, 2, 4, 8, 16, 32, 64, -128);
        const __m256i half = _mm256_set1_epi8(15);
        nibble = _mm256_and_si256(ids, half);
        bit = _mm256_shuffle_epi8(powers, _mm256_and_si256(_mm256_srli_epi16(ids, 4), half));
    }
    __m256i ids, nibble, bit;
};

inline unsigned nonzero(__m256i x) {
    return ~static_cast<unsigned>(
        _mm256_movemask_epi8(_mm256_cmpeq_epi8(x, _mm256_setzero_si256())));
}

template <bool Must>
int bytes_feasible(const Slots<uint8_t>& sets, int from, int end, const uint8_t* flags, int must) {
    const ByteSet barred(flags, kWanted | kBarred);
    const __m256i needed = _mm256_set1_epi8(static_cast<char>(must));
    int rank = from;
    for (; rank + 32 <= end; rank += 32) {
        __m256i any = _mm256_setzero_si256(), holding = any;
        for (int k = 0; k < sets.count; ++k) {
            const SplitIds split(sets.rows[k] + rank);
            any = _mm256_or_si256(any, barred(split.ids, split.nibble, split.bit));
            if constexpr (Must)
                holding = _mm256_or_si256(holding, _mm256_cmpeq_epi8(split.ids, needed));
        }
        unsigned hits = ~nonzero(any);
        if constexpr (Must) hits &= static_cast<unsigned>(_mm256_movemask_epi8(holding));
        if (hits) return rank + trailing_zeros(hits);
    }
    return plain_feasible(sets, rank, end, flags, must);
}

template <bool Must>
int bytes_gain(const Slots<uint8_t>& sets, int from, int end, const uint8_t* flags, int must) {
    const ByteSet wanted(flags, kWanted), barred(flags, kBarred);
    const __m256i needed = _mm256_set1_epi8(static_cast<char>(must));
    int rank = from;
    for (; rank + 32 <= end; rank += 32) {
        unsigned one = 0, more = 0, holding = 0;
        __m256i bad = _mm256_setzero_si256();
        for (int k = 0; k < sets.count; ++k) {
            const SplitIds split(sets.rows[k] + rank);
            const unsigned hit = nonzero(wanted(split.ids, split.nibble, split.bit));
            more |= one & hit;
            one |= hit;
            bad = _mm256_or_si256(bad, barred(split.ids, split.nibble, split.bit));
            if constexpr (Must)
                holding |= static_cast<unsigned>(
                    _mm256_movemask_epi8(_mm256_cmpeq_epi8(split.ids, needed)));
        }
        unsigned hits = one & ~more & ~nonzero(bad);
        if constexpr (Must) hits &= holding;
        if (hits) return rank + trailing_zeros(hits);
    }
    return plain_gain(sets, rank, end, flags, must);
}

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

const forebear::AllKernels forebear::kernels_avx2 = {kScoring, kScans};
