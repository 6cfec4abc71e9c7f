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

/// Eight z at a time: the best score of the proper subsets, the score of the family, and a bit for
/// each family that is better.
class Lanes {
public:
    explicit Lanes(int64_t floor) : best_(_mm512_set1_epi64(floor)) {}
    void rival(const int64_t* f, const int64_t* g) {
        best_ = _mm512_max_epi64(best_, _mm512_sub_epi64(load(f), load(g)));
    }
    void rival(const int64_t* f, int64_t g) {
        best_ = _mm512_max_epi64(best_, _mm512_sub_epi64(load(f), _mm512_set1_epi64(g)));
    }
    void rival(const int64_t* f, const int64_t* g, const int32_t* at) {
        best_ = _mm512_max_epi64(best_, _mm512_sub_epi64(load(f), gather(g, at)));
    }
    uint8_t decide(const int64_t* f, const int64_t* g, int64_t* score) {
        return decide(load(f), load(g), score);
    }
    uint8_t decide(const int64_t* f, int64_t g, int64_t* score) {
        return decide(load(f), _mm512_set1_epi64(g), score);
    }
    uint8_t decide(const int64_t* f, const int64_t* g, const int32_t* at, int64_t* score) {
        return decide(load(f), gather(g, at), score);
    }

private:
    static __m512i load(const int64_t* from) { return _mm512_loadu_si512(from); }
    static __m512i gather(const int64_t* from, const int32_t* at) {
        return _mm512_i32gather_epi64(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(at)),
                                      from, 8);
    }
    uint8_t decide(__m512i f, __m512i g, int64_t* score) {
        const __m512i own = _mm512_sub_epi64(f, g);
        _mm512_storeu_si512(score, own);
        return static_cast<uint8_t>(_mm512_cmpgt_epi64_mask(own, best_) &
                                    _mm512_cmpgt_epi64_mask(f, _mm512_set1_epi64(kNeverKept)));
    }
    __m512i best_;
};

// ---- scans --------------------------------------------------------------------------

// The table of 256 flags is in four registers.
class ByteFlags {
public:
    explicit ByteFlags(const uint8_t* flags) {
        for (int i = 0; i < 4; ++i) parts_[i] = _mm512_loadu_si512(flags + 64 * i);
    }
    __m512i operator[](__m512i ids) const {
        const __m512i low = _mm512_permutex2var_epi8(parts_[0], ids, parts_[1]);
        const __m512i high = _mm512_permutex2var_epi8(parts_[2], ids, parts_[3]);
        return _mm512_mask_mov_epi8(low, _mm512_movepi8_mask(ids), high);
    }

private:
    __m512i parts_[4];
};

template <bool Must>
int bytes_feasible(const Slots<uint8_t>& sets, int from, int end, const uint8_t* flags, int must) {
    const ByteFlags table(flags);
    const __m512i needed = _mm512_set1_epi8(static_cast<char>(must));
    for (int rank = from; rank < end; rank += 64) {
        const int left = end - rank;
        const uint64_t within = left < 64 ? (uint64_t{1} << left) - 1 : ~uint64_t{0};
        __m512i any = _mm512_setzero_si512();
        uint64_t holding = 0;
        for (int k = 0; k < sets.count; ++k) {
            const __m512i ids = _mm512_maskz_loadu_epi8(within, sets.rows[k] + rank);
            any = _mm512_or_si512(any, table[ids]);
            if constexpr (Must) holding |= _mm512_cmpeq_epi8_mask(ids, needed);
        }
        uint64_t hits = _mm512_testn_epi8_mask(any, any) & within;
        if constexpr (Must) hits &= holding;
        if (hits) return rank + trailing_zeros(hits);
    }
    return end;
}

template <bool Must>
int bytes_gain(const Slots<uint8_t>& sets, int from, int end, const uint8_t* flags, int must) {
    const ByteFlags table(flags);
    const __m512i needed = _mm512_set1_epi8(static_cast<char>(must));
    const __m512i wanted = _mm512_set1_epi8(kWanted), barred = _mm512_set1_epi8(kBarred);
    for (int rank = from; rank < end; rank += 64) {
        const int left = end - rank;
        const uint64_t within = left < 64 ? (uint64_t{1} << left) - 1 : ~uint64_t{0};
        uint64_t one = 0, more = 0, bad = 0, holding = 0;
        for (int k = 0; k < sets.count; ++k) {
            const __m512i ids = _mm512_maskz_loadu_epi8(within, sets.rows[k] + rank);
            const __m512i flag = table[ids];
            const uint64_t hit = _mm512_test_epi8_mask(flag, wanted);
            more |= one & hit;
            one |= hit;
            bad |= _mm512_test_epi8_mask(flag, barred);
            if constexpr (Must) holding |= _mm512_cmpeq_epi8_mask(ids, needed);
        }
        uint64_t hits = one & ~more & ~bad & within;
        if constexpr (Must) hits &= holding;
        if (hits) return rank + trailing_zeros(hits);
    }
    return end;
}

constexpr int kRegisterIds = 1024;  // the bits of two registers; the pad falls on the last of them

// A set of ids as bits: the high part of an id selects a word of the table, the low part a bit of
// that word.
class WordSet {
public:
    WordSet(const uint8_t* flags, int n, uint8_t bit) {
        alignas(64) uint64_t words[kRegisterIds / 64] = {};
        const __m512i wanted = _mm512_set1_epi8(static_cast<char>(bit));
        for (int base = 0; base < n; base += 64)
            words[base / 64] = _mm512_test_epi8_mask(_mm512_loadu_si512(flags + base), wanted);
        low_ = _mm512_load_si512(words);
        high_ = _mm512_load_si512(words + 8);
    }
    __mmask32 operator()(__m512i ids, __m512i bit) const {
        return _mm512_test_epi16_mask(
            _mm512_permutex2var_epi16(low_, _mm512_srli_epi16(ids, 4), high_), bit);
    }

private:
    __m512i low_, high_;
};

inline __m512i bit_of(__m512i ids) {
    return _mm512_sllv_epi16(_mm512_set1_epi16(1), _mm512_and_si512(ids, _mm512_set1_epi16(15)));
}

inline __mmask32 within(int left) { return left < 32 ? (__mmask32{1} << left) - 1 : ~__mmask32{0}; }

template <bool Must>
int words_feasible(const Slots<uint16_t>& sets, int from, int end, const uint8_t* flags, int n,
                   int must) {
    const WordSet barred(flags, n, kWanted | kBarred);
    const __m512i needed = _mm512_set1_epi16(static_cast<short>(must));
    for (int rank = from; rank < end; rank += 32) {
        const __mmask32 inside = within(end - rank);
        __mmask32 any = 0, holding = 0;
        for (int k = 0; k < sets.count; ++k) {
            const __m512i ids = _mm512_maskz_loadu_epi16(inside, sets.rows[k] + rank);
            any |= barred(ids, bit_of(ids));
            if constexpr (Must) holding |= _mm512_cmpeq_epi16_mask(ids, needed);
        }
        __mmask32 hits = ~any & inside;
        if constexpr (Must) hits &= holding;
        if (hits) return rank + trailing_zeros(hits);
    }
    return end;
}

template <bool Must>
int words_gain(const Slots<uint16_t>& sets, int from, int end, const uint8_t* flags, int n,
               int must) {
    const WordSet wanted(flags, n, kWanted), barred(flags, n, kBarred);
    const __m512i needed = _mm512_set1_epi16(static_cast<short>(must));
    for (int rank = from; rank < end; rank += 32) {
        const __mmask32 inside = within(end - rank);
        __mmask32 one = 0, more = 0, bad = 0, holding = 0;
        for (int k = 0; k < sets.count; ++k) {
            const __m512i ids = _mm512_maskz_loadu_epi16(inside, sets.rows[k] + rank);
            const __m512i bit = bit_of(ids);
            const __mmask32 hit = wanted(ids, bit);
            more |= one & hit;
            one |= hit;
            bad |= barred(ids, bit);
            if constexpr (Must) holding |= _mm512_cmpeq_epi16_mask(ids, needed);
        }
        __mmask32 hits = one & ~more & ~bad & inside;
        if constexpr (Must) hits &= holding;
        if (hits) return rank + trailing_zeros(hits);
    }
    return end;
}

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

const forebear::AllKernels forebear::kernels_avx512 = {kScoring, kScans};
