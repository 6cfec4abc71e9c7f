// Random numbers that are the same on every machine.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "common/index.h"

namespace forebear {

/// xoshiro256** (Blackman and Vigna, 2018), seeded by four words that are not all zero.
class Random {
public:
    explicit Random(const uint64_t seed[4]) {
        for (int i = 0; i < 4; ++i) state_[i] = seed[i];
    }
    uint64_t operator()() {
        const uint64_t result = std::rotl(state_[1] * 5, 7) * 9, t = state_[1] << 17;
        state_[2] ^= state_[0];
        state_[3] ^= state_[1];
        state_[1] ^= state_[2];
        state_[0] ^= state_[3];
        state_[2] ^= t;
        state_[3] = std::rotl(state_[3], 45);
        return result;
    }
    /// A number in [0, bound), by multiplication (Lemire, 2019) without the rejection step: the
    /// bias is below bound / 2^32.
    int below(int bound) {
        return static_cast<int>(((*this)() >> 32) * static_cast<uint64_t>(bound) >> 32);
    }
    /// A number in [0, 1).
    double uniform() { return static_cast<double>((*this)() >> 11) * 0x1p-53; }

    uint64_t state_[4];
};

/// A pseudorandom word, by the multiplier and the finalizer of SplitMix64 (Steele, Lea and
/// Flood, 2014).
inline uint64_t mixed(uint64_t number) {
    uint64_t z = number * 0x9e3779b97f4a7c15;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
}

/// A word for each of n variables. The key of a set is the sum of its words: keys of different sets
/// are equal with probability 10^-19.
inline std::vector<uint64_t> set_keys(int n) {
    std::vector<uint64_t> words;
    for (uint64_t v = 1; v <= static_cast<uint64_t>(n); ++v) words.push_back(mixed(v));
    return words;
}

template <class Vector>
void shuffle(Vector& items, Random& random) {
    for (int i = static_cast<int>(items.size()) - 1; i > 0; --i)
        std::swap(items[index(i)], items[index(random.below(i + 1))]);
}

}  // namespace forebear
