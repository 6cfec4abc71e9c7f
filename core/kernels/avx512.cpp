// The kernels by AVX-512: eight numbers of 64 bits at once, 64 bytes or 32 words.
//
// With plain comparisons, scoring audio-train with up to 3 parents takes 20 % longer; with plain sums
// over cells 7 %, which are therefore not here.
#include <immintrin.h>

#include "common/platform.h"
#include "kernels/kernels.h"
#include "kernels/plain.inc"

namespace forebear {
namespace {

// Measured cycles for a word of bits in count_rows.
constexpr double kCyclesPerWord = 0.2;

// ---- counting -----------------------------------------------------------------------

template <int T>
void count_block(const uint64_t* const* vectors, const uint64_t* block, size_t begin, size_t end,
                 int32_t* const* out) {
    __m512i total[T];
    for (int t = 0; t < T; ++t) total[t] = _mm512_setzero_si512();
    for (size_t w = begin; w < end; ++w) {
        const __m512i columns = _mm512_loadu_si512(block + w * kLanes);
        for (int t = 0; t < T; ++t) {
            const __m512i both =
                _mm512_and_si512(columns, _mm512_set1_epi64(static_cast<long long>(vectors[t][w])));
            total[t] = _mm512_add_epi64(total[t], _mm512_popcnt_epi64(both));
        }
    }
    for (int t = 0; t < T; ++t) {
        __m256i* place = reinterpret_cast<__m256i*>(out[t]);
        _mm256_storeu_si256(
            place, _mm256_add_epi32(_mm256_loadu_si256(place), _mm512_cvtepi64_epi32(total[t])));
    }
}

// ---- comparisons of scores ----------------------------------------------------------

/// See PlainLanes.
class Lanes {
public:
    explicit Lanes(int64_t floor) : best_(number(floor)) {}
    void rival(__m512i f, __m512i g) { best_ = _mm512_max_epi64(best_, _mm512_sub_epi64(f, g)); }
    uint8_t decide(__m512i f, __m512i g, int64_t* score) const {
        const __m512i own = _mm512_sub_epi64(f, g);
        _mm512_storeu_si512(score, own);
        return static_cast<uint8_t>(_mm512_cmpgt_epi64_mask(own, best_) &
                                    _mm512_cmpgt_epi64_mask(f, number(kNeverKept)));
    }

    static __m512i row(const int64_t* from) { return _mm512_loadu_si512(from); }
    static __m512i number(int64_t value) { return _mm512_set1_epi64(value); }
    static __m512i picked(const int64_t* from, const int32_t* at) {
        return _mm512_i32gather_epi64(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(at)),
                                      from, 8);
    }

private:
    __m512i best_;
};

// ---- scans --------------------------------------------------------------------------

inline __m512i either(__m512i a, __m512i b) { return _mm512_or_si512(a, b); }
/// A bit for each byte that is not zero.
inline uint64_t mask_of(__m512i marks) { return _mm512_test_epi8_mask(marks, marks); }

struct Bytes {
    static constexpr int kMostIds = 255, kAtOnce = 64;
    static constexpr bool kPartial = true;
    using Marks = __m512i;
    using Held = uint64_t;
    static uint64_t within(int left) {
        return left < 64 ? (uint64_t{1} << left) - 1 : ~uint64_t{0};
    }

    struct Ids {
        Ids(const uint8_t* at, int left) : ids(_mm512_maskz_loadu_epi8(within(left), at)) {}
        uint64_t has(int id) const {
            return _mm512_cmpeq_epi8_mask(ids, _mm512_set1_epi8(static_cast<char>(id)));
        }
        __m512i ids;
    };

    // The table of 256 flags is in four registers, which several sets of the same flags share.
    class Set {
    public:
        Set(const uint8_t* flags, int, uint8_t bit)
            : bit_(_mm512_set1_epi8(static_cast<char>(bit))) {
            for (int i = 0; i < 4; ++i) parts_[i] = _mm512_loadu_si512(flags + 64 * i);
        }
        __m512i operator()(const Ids& own) const {
            const __m512i low = _mm512_permutex2var_epi8(parts_[0], own.ids, parts_[1]);
            const __m512i high = _mm512_permutex2var_epi8(parts_[2], own.ids, parts_[3]);
            return _mm512_and_si512(_mm512_mask_mov_epi8(low, _mm512_movepi8_mask(own.ids), high),
                                    bit_);
        }

    private:
        __m512i bit_, parts_[4];
    };
};

struct Words {
    static constexpr int kMostIds = 1023, kAtOnce = 32;  // the pad falls on the last bit of the table
    static constexpr bool kPartial = true;
    using Marks = __mmask32;
    using Held = __mmask32;
    static __mmask32 within(int left) {
        return left < 32 ? (__mmask32{1} << left) - 1 : ~__mmask32{0};
    }

    struct Ids {
        Ids(const uint16_t* at, int left)
            : ids(_mm512_maskz_loadu_epi16(within(left), at)),
              bit(_mm512_sllv_epi16(_mm512_set1_epi16(1),
                                    _mm512_and_si512(ids, _mm512_set1_epi16(15)))) {}
        __mmask32 has(int id) const {
            return _mm512_cmpeq_epi16_mask(ids, _mm512_set1_epi16(static_cast<short>(id)));
        }
        __m512i ids, bit;
    };

    // A set of 1,024 ids as the bits of two registers: the high part of an id selects a word of the
    // table, the low part a bit of that word.
    class Set {
    public:
        Set(const uint8_t* flags, int n, uint8_t bit) {
            alignas(64) uint64_t words[16] = {};
            const __m512i wanted = _mm512_set1_epi8(static_cast<char>(bit));
            for (int base = 0; base < n; base += 64)
                words[base / 64] = _mm512_test_epi8_mask(_mm512_loadu_si512(flags + base), wanted);
            low_ = _mm512_load_si512(words);
            high_ = _mm512_load_si512(words + 8);
        }
        __mmask32 operator()(const Ids& own) const {
            return _mm512_test_epi16_mask(
                _mm512_permutex2var_epi16(low_, _mm512_srli_epi16(own.ids, 4), high_), own.bit);
        }

    private:
        __m512i low_, high_;
    };
};

int nonzeros(const int32_t* row, int n, int32_t* places) {
    int count = 0, i = 0;
    for (; i + 16 <= n; i += 16) {
        const __m512i values = _mm512_loadu_si512(row + i);
        for (unsigned left = _mm512_test_epi32_mask(values, values); left; left &= left - 1)
            places[count++] = i + trailing_zeros(left);
    }
    return plain_nonzeros(row, i, n, places, count);
}

}  // namespace
}  // namespace forebear

// After what they use.
#include "kernels/scoring.inc"
#include "kernels/scan.inc"

const forebear::AllKernels forebear::kernels_avx512 = {"avx512", cpu_has_avx512, kScoring, kScans};
