// A cache of a variable's best parent set among the first few variables of an order.
//
// With few predecessors a list must be read almost to its end to find a set that fits. But the same
// few variables come first again and again during a search, in any sequence. So the result is
// stored by a hash of (variable, set of predecessors).
#pragma once

#include <cstdint>
#include <vector>

namespace forebear {

class PrefixMemo {
public:
    explicit PrefixMemo(int bits) : mask_((uint64_t{1} << bits) - 1), entries_(mask_ + 1) {}

    /// The key of (variable, set of predecessors) is key_of_child(variable) XOR the key_of all
    /// members. Two with the same 64-bit key would be confused; that is too unlikely to matter.
    static uint64_t key_of_child(int variable) {
        return mix(static_cast<uint64_t>(variable) + (uint64_t{1} << 32));
    }
    static uint64_t key_of(int member) { return mix(static_cast<uint64_t>(member) + 1); }

    /// The rank stored for a key, or -1.
    int find(uint64_t key) const {
        const Entry& entry = entries_[key & mask_];
        return entry.key == key ? entry.rank : -1;
    }
    void put(uint64_t key, int rank) { entries_[key & mask_] = {key, rank}; }

private:
    struct Entry {
        uint64_t key = 0;
        int32_t rank = -1;
    };
    /// The finalizer of SplitMix64 (Steele, Lea and Flood, 2014).
    static uint64_t mix(uint64_t x) {
        x *= 0x9E3779B97F4A7C15;
        x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9;
        x = (x ^ x >> 27) * 0x94D049BB133111EB;
        return x ^ x >> 31;
    }
    uint64_t mask_;
    std::vector<Entry> entries_;
};

}  // namespace forebear
