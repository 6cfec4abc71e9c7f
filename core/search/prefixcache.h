// A cache of a variable's best parent set among the first few variables of an order.
//
// If a variable has few predecessors, its list must be read almost to the end to find a set that
// fits. During a search the same few variables come first again and again, in any sequence.
// Therefore the result is stored under a hash of (variable, set of predecessors), for all threads.
// It does not depend on the thread that found it, so the search does not depend on the threads.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>

#include "common/random.h"

namespace forebear {

class PrefixCache {
public:
    explicit PrefixCache(int n)
        : mask_((uint64_t{1} << std::min(kMostBits, n + 4)) - 1),
          entries_(std::make_unique<Entry[]>(mask_ + 1)) {}

    /// The key of (variable, set of predecessors) is key_of_child(variable) XOR the key_of all
    /// members. Collisions of the 64-bit keys are ignored: they are too unlikely to matter.
    static uint64_t key_of_child(int variable) {
        return mixed(static_cast<uint64_t>(variable) + (uint64_t{1} << 32));
    }
    static uint64_t key_of(int member) { return mixed(static_cast<uint64_t>(member) + 1); }

    /// The rank stored for a key, or -1. All threads may read and write without locks: if an entry is
    /// half overwritten, its two halves do not match, and it counts as missing.
    int find(uint64_t key) const {
        const Entry& entry = entries_[key & mask_];
        const uint64_t value = entry.value.load(std::memory_order_relaxed);
        const uint64_t lock = entry.lock.load(std::memory_order_relaxed);
        return (value ^ lock) == key ? static_cast<int>(value) - 1 : -1;
    }
    void put(uint64_t key, int rank) {
        Entry& entry = entries_[key & mask_];
        const uint64_t value = static_cast<uint64_t>(rank) + 1;
        entry.value.store(value, std::memory_order_relaxed);
        entry.lock.store(key ^ value, std::memory_order_relaxed);
    }

private:
    // 4 MB, which fits into the cache of most processors; less for small n, which has n 2^n keys.
    static constexpr int kMostBits = 18;
    struct Entry {
        std::atomic<uint64_t> value{0}, lock{0};  // the rank + 1; the key XOR that
    };
    uint64_t mask_;
    std::unique_ptr<Entry[]> entries_;
};

}  // namespace forebear
