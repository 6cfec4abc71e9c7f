// A hash table in contiguous memory.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <utility>
#include <vector>

#include "common/index.h"

namespace forebear {

/// A map from random 64-bit words, which are their own hashes, to values. Nothing can be removed.
/// It is faster and smaller than std::unordered_map.
template <class Value>
class FlatMap {
public:
    size_t size() const { return size_; }
    int64_t bytes() const {
        return static_cast<int64_t>(places_.capacity() * sizeof(std::pair<uint64_t, Value>));
    }
    bool contains(uint64_t key) const { return find(key) != nullptr; }
    /// The value of a key; null if there is none.
    const Value* find(uint64_t key) const {
        if (places_.empty()) return nullptr;
        const auto& place = places_[place_of(stored(key))];
        return place.first == kFree ? nullptr : &place.second;
    }
    /// Adds a value, unless the key has one. Returns whether it was added.
    bool emplace(uint64_t key, Value value) {
        if (4 * (size_ + 1) > 3 * places_.size()) enlarge(2 * places_.size());
        auto& place = places_[place_of(stored(key))];
        if (place.first != kFree) return false;
        place = {stored(key), value};
        ++size_;
        return true;
    }
    /// Sets the value of a key, whether it had one or not.
    void set(uint64_t key, Value value) {
        if (!emplace(key, value)) places_[place_of(stored(key))].second = value;
    }
    /// Reserves memory for this many keys.
    void reserve(size_t count) {
        if (4 * count > 3 * places_.size()) enlarge(std::bit_ceil(count / 3 * 4 + 4));
    }

private:
    static constexpr uint64_t kFree = 0;  // marks a free place
    static constexpr size_t kFewest = 16;

    /// The word that represents a key: another word for 0, the key of the empty set.
    static uint64_t stored(uint64_t key) { return key == kFree ? ~uint64_t{0} : key; }
    /// Where a key is, or would be.
    size_t place_of(uint64_t key) const {
        const size_t mask = places_.size() - 1;
        size_t at = static_cast<size_t>(key) & mask;
        while (places_[at].first != key && places_[at].first != kFree) at = (at + 1) & mask;
        return at;
    }
    void enlarge(size_t count) {
        std::vector<std::pair<uint64_t, Value>> before(std::max(count, kFewest), {kFree, Value{}});
        places_.swap(before);
        for (const auto& [key, value] : before)
            if (key != kFree) places_[place_of(key)] = {key, value};
    }

    std::vector<std::pair<uint64_t, Value>> places_;  // a power of two
    size_t size_ = 0;
};

}  // namespace forebear
