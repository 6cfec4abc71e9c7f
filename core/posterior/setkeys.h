// Keys of sets of variables: sums of random words, which differ for different sets but for one in
// 10^19.
#pragma once

#include <cstdint>
#include <vector>

namespace forebear {

/// One word per variable, by splitmix64 (Steele, Lea and Flood, 2014).
inline std::vector<uint64_t> set_keys(int n) {
    std::vector<uint64_t> words;
    for (uint64_t v = 1; v <= static_cast<uint64_t>(n); ++v) {
        uint64_t z = v * 0x9e3779b97f4a7c15;
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
        z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
        words.push_back(z ^ (z >> 31));
    }
    return words;
}

}  // namespace forebear
