// Remembers a variable's best set among the first few variables of an order.
//
// A place near the front leaves so few predecessors that a list must be read
// almost to its end to find a set that fits. But the same few variables stand in
// front again and again, in any sequence, throughout a search: what was found for
// them once is looked up by a hash of (variable, set of predecessors).
#pragma once

#include <cstdint>
#include <vector>

namespace forebear {

class PrefixMemo {
public:
    explicit PrefixMemo(int bits) : mask_((uint64_t{1} << bits) - 1), entries_(mask_ + 1) {}

    /// The key of (variable, set of predecessors) is that of the variable XOR those of the members.
    static uint64_t key_of_child(int variable) {
        return mix(static_cast<uint64_t>(variable) + (uint64_t{1} << 32));
    }
    static uint64_t key_of(int member) { return mix(static_cast<uint64_t>(member) + 1); }

    /// The rank that was put there, or -1.
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
