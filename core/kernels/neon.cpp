// The kernels by NEON: 16 bytes at once.
#include <arm_neon.h>

#include "common/platform.h"
#include "kernels/kernels.h"
#include "kernels/plain.inc"

namespace forebear {
namespace {

// Measured cycles for a word of bits in count_rows.
constexpr double kCyclesPerWord = 1.5;

// ---- counting -----------------------------------------------------------------------

constexpr int kPairs = kLanes / 2;  // registers for one word of all columns

// The bits of each byte by one instruction. A sum of 31 bytes of at most 8 does not overflow.
template <int T>
void count_block(const uint64_t* const* vectors, const uint64_t* block, size_t begin, size_t end,
                 int32_t* const* out) {
    uint64x2_t total[T][kPairs];
    for (int t = 0; t < T; ++t)
        for (int pair = 0; pair < kPairs; ++pair) total[t][pair] = vdupq_n_u64(0);
    for (size_t w = begin; w < end;) {
        const size_t stop = w + 31 < end ? w + 31 : end;
        uint8x16_t bytes[T][kPairs];
        for (int t = 0; t < T; ++t)
            for (int pair = 0; pair < kPairs; ++pair) bytes[t][pair] = vdupq_n_u8(0);
        for (; w < stop; ++w) {
            uint64x2_t columns[kPairs];
            for (int pair = 0; pair < kPairs; ++pair)
                columns[pair] = vld1q_u64(block + w * kLanes + 2 * pair);
            for (int t = 0; t < T; ++t) {
                const uint64x2_t vector = vdupq_n_u64(vectors[t][w]);
                for (int pair = 0; pair < kPairs; ++pair) {
                    const uint64x2_t both = vandq_u64(columns[pair], vector);
                    bytes[t][pair] =
                        vaddq_u8(bytes[t][pair], vcntq_u8(vreinterpretq_u8_u64(both)));
                }
            }
        }
        for (int t = 0; t < T; ++t)
            for (int pair = 0; pair < kPairs; ++pair)
                total[t][pair] =
                    vpadalq_u32(total[t][pair], vpaddlq_u16(vpaddlq_u8(bytes[t][pair])));
    }
    for (int t = 0; t < T; ++t)
        for (int pair = 0; pair < kPairs; pair += 2) {
            int32_t* const place = out[t] + 2 * pair;
            const uint32x4_t four =
                vcombine_u32(vmovn_u64(total[t][pair]), vmovn_u64(total[t][pair + 1]));
            vst1q_s32(place, vaddq_s32(vld1q_s32(place), vreinterpretq_s32_u32(four)));
        }
}

// ---- comparisons of scores ----------------------------------------------------------

/// See PlainLanes. Two z have a register.
class Lanes {
public:
    explicit Lanes(int64_t floor) {
        for (int64x2_t& best : best_) best = vdupq_n_s64(floor);
    }
    template <class F, class G>
    void rival(const F& f, const G& g) {
        for (int i = 0; i < kPairs; ++i) {
            const int64x2_t own = vsubq_s64(f[i], g[i]);
            best_[i] = vbslq_s64(vcgtq_s64(own, best_[i]), own, best_[i]);
        }
    }
    template <class F, class G>
    uint8_t decide(const F& f, const G& g, int64_t* score) const {
        uint64x2_t better[kPairs];
        for (int i = 0; i < kPairs; ++i) {
            const int64x2_t value = f[i], own = vsubq_s64(value, g[i]);
            vst1q_s64(score + 2 * i, own);
            better[i] =
                vandq_u64(vcgtq_s64(own, best_[i]), vcgtq_s64(value, vdupq_n_s64(kNeverKept)));
        }
        return bits(better);
    }

    struct Row {
        int64x2_t operator[](int i) const { return vld1q_s64(from + 2 * i); }
        const int64_t* from;
    };
    struct Number {
        int64x2_t operator[](int) const { return vdupq_n_s64(value); }
        int64_t value;
    };
    struct Picked {
        int64x2_t operator[](int i) const {
            return vcombine_s64(vld1_s64(from + at[2 * i]), vld1_s64(from + at[2 * i + 1]));
        }
        const int64_t* from;
        const int32_t* at;
    };
    static Row row(const int64_t* from) { return {from}; }
    static Number number(int64_t value) { return {value}; }
    static Picked picked(const int64_t* from, const int32_t* at) { return {from, at}; }

private:
    /// One bit per lane, from masks of all bits.
    static uint8_t bits(const uint64x2_t* masks) {
        alignas(8) static constexpr uint8_t kPowers[kLanes] = {1, 2, 4, 8, 16, 32, 64, 128};
        const uint32x4_t low = vcombine_u32(vmovn_u64(masks[0]), vmovn_u64(masks[1]));
        const uint32x4_t high = vcombine_u32(vmovn_u64(masks[2]), vmovn_u64(masks[3]));
        const uint8x8_t bytes = vmovn_u16(vcombine_u16(vmovn_u32(low), vmovn_u32(high)));
        return vaddv_u8(vand_u8(bytes, vld1_u8(kPowers)));
    }
    int64x2_t best_[kPairs];
};

// ---- scans --------------------------------------------------------------------------

inline uint8x16_t either(uint8x16_t a, uint8x16_t b) { return vorrq_u8(a, b); }
inline uint8x16_t both(uint8x16_t a, uint8x16_t b) { return vandq_u8(a, b); }
inline uint8x16_t without(uint8x16_t a, uint8x16_t b) { return vbicq_u8(a, b); }
inline uint8x16_t mask_of(uint8x16_t mask) { return mask; }
/// By four bits per byte of the mask: NEON has no instruction for one bit each.
inline int first_of(uint8x16_t mask) {
    const uint64_t nibbles = vget_lane_u64(
        vreinterpret_u64_u8(vshrn_n_u16(vreinterpretq_u16_u8(mask), 4)), 0);
    return nibbles ? trailing_zeros(nibbles) / 4 : -1;
}

/// The bytes whose flags have the bit, as masks of all bits.
inline uint8x16_t flagged(const uint8_t* flags, uint8_t bit) {
    return vtstq_u8(vld1q_u8(flags), vdupq_n_u8(bit));
}

/// What ids of bytes and of words have in common.
struct Vectors {
    static constexpr int kAtOnce = 16;
    static constexpr bool kPartial = false;
    using Marks = uint8x16_t;
    using Held = uint8x16_t;
    static uint8x16_t within(int) { return vdupq_n_u8(255); }
};

struct Bytes : Vectors {
    static constexpr int kMostIds = 255;

    struct Ids {
        Ids(const uint8_t* at, int) : ids(vld1q_u8(at)) {
            place = vandq_u8(ids, vdupq_n_u8(31));
            bit = vshlq_u8(vdupq_n_u8(1), vreinterpretq_s8_u8(vshrq_n_u8(ids, 5)));
        }
        uint8x16_t has(int id) const { return vceqq_u8(ids, vdupq_n_u8(static_cast<uint8_t>(id))); }
        uint8x16_t ids, place, bit;
    };

    // A set of 256 ids as bits: the low five bits of an id select a byte of the table, the high
    // three a bit of that byte.
    class Set {
    public:
        Set(const uint8_t* flags, int, uint8_t bit) {
            table_ = {vdupq_n_u8(0), vdupq_n_u8(0)};
            for (int high = 0; high < 8; ++high) {
                const uint8x16_t power = vdupq_n_u8(static_cast<uint8_t>(1 << high));
                for (int half = 0; half < 2; ++half)
                    table_.val[half] = vorrq_u8(
                        table_.val[half],
                        vandq_u8(flagged(flags + 32 * high + 16 * half, bit), power));
            }
        }
        uint8x16_t operator()(const Ids& own) const {
            return vtstq_u8(vqtbl2q_u8(table_, own.place), own.bit);
        }

    private:
        uint8x16x2_t table_;
    };
};

struct Words : Vectors {
    static constexpr int kMostIds = 1024;  // the bits of eight registers

    struct Ids {
        Ids(const uint16_t* at, int) : first(vld1q_u16(at)), second(vld1q_u16(at + 8)) {
            place = vcombine_u8(vshrn_n_u16(first, 3), vshrn_n_u16(second, 3));
            const uint8x16_t low = vcombine_u8(vmovn_u16(first), vmovn_u16(second));
            bit = vshlq_u8(vdupq_n_u8(1), vreinterpretq_s8_u8(vandq_u8(low, vdupq_n_u8(7))));
        }
        uint8x16_t has(int id) const {
            const uint16x8_t wanted = vdupq_n_u16(static_cast<uint16_t>(id));
            return vcombine_u8(vmovn_u16(vceqq_u16(first, wanted)),
                               vmovn_u16(vceqq_u16(second, wanted)));
        }
        uint16x8_t first, second;
        uint8x16_t place, bit;
    };

    // A set of 1,024 ids as bits: the high part of an id selects a byte of the table, the low three
    // bits a bit of that byte. The pad selects a byte past the table, which counts as zero.
    class Set {
    public:
        Set(const uint8_t* flags, int n, uint8_t bit) {
            alignas(16) uint8_t bytes[128] = {};
            alignas(16) static constexpr uint8_t kPowers[16] = {1, 2, 4, 8, 16, 32, 64, 128,
                                                                1, 2, 4, 8, 16, 32, 64, 128};
            const uint8x16_t powers = vld1q_u8(kPowers);
            for (int base = 0; base < n; base += 64) {
                uint8x16_t part[4];
                for (int i = 0; i < 4; ++i)
                    part[i] = vandq_u8(flagged(flags + base + 16 * i, bit), powers);
                const uint8x16_t fours = vpaddq_u8(vpaddq_u8(part[0], part[1]),  //
                                                   vpaddq_u8(part[2], part[3]));
                vst1_u8(bytes + base / 8, vget_low_u8(vpaddq_u8(fours, fours)));
            }
            for (int i = 0; i < 4; ++i) {
                low_.val[i] = vld1q_u8(bytes + 16 * i);
                high_.val[i] = vld1q_u8(bytes + 64 + 16 * i);
            }
        }
        uint8x16_t operator()(const Ids& own) const {
            const uint8x16_t rest = vsubq_u8(own.place, vdupq_n_u8(64));
            return vtstq_u8(vqtbx4q_u8(vqtbl4q_u8(low_, own.place), high_, rest), own.bit);
        }

    private:
        uint8x16x4_t low_, high_;
    };
};

int nonzeros(const int32_t* row, int n, int32_t* places) {
    int count = 0, i = 0;
    for (; i + 8 <= n; i += 8) {
        const int32x4_t low = vld1q_s32(row + i), high = vld1q_s32(row + i + 4);
        const uint16x8_t mask =
            vcombine_u16(vmovn_u32(vtstq_s32(low, low)), vmovn_u32(vtstq_s32(high, high)));
        // One bit in each byte.
        uint64_t left = vget_lane_u64(vreinterpret_u64_u8(vmovn_u16(mask)), 0) & 0x0101010101010101;
        for (; left; left &= left - 1) places[count++] = i + trailing_zeros(left) / 8;
    }
    return plain_nonzeros(row, i, n, places, count);
}

}  // namespace
}  // namespace forebear

// After what they use.
#include "kernels/scoring.inc"
#include "kernels/scan.inc"

const forebear::AllKernels forebear::kernels_neon = {"neon", [] { return true; }, kScoring, kScans};
