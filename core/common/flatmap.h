// A hash table in one piece of memory.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <utility>
#include <vector>

#include "common/index.h"

namespace forebear {

/// A map from random 64-bit words, which are their own hashes, to values. Nothing can be removed.
/// It takes less time and memory than std::unordered_map.
template <class Value>
class FlatMap {
public:
    size_t size() const { return size_ + has_none_; }
    int64_t bytes() const {
        return static_cast<int64_t>(places_.capacity() * sizeof(std::pair<uint64_t, Value>));
    }
    bool contains(uint64_t key) const { return find(key) != nullptr; }
    /// The value of a key; null if there is none.
    const Value* find(uint64_t key) const {
        if (key == kNone) return has_none_ ? &of_none_ : nullptr;
        if (places_.empty()) return nullptr;
        for (size_t at = first(key);; at = next(at)) {
            if (places_[at].first == key) return &places_[at].second;
            if (places_[at].first == kNone) return nullptr;
        }
    }
    /// Adds a value, unless the key has one. Returns whether it was added.
    bool emplace(uint64_t key, Value value) {
        if (key == kNone) {
            if (has_none_) return false;
            has_none_ = true;
            of_none_ = value;
            return true;
        }
        if (4 * (size_ + 1) > 3 * places_.size()) enlarge(2 * places_.size());
        size_t at = first(key);
        for (; places_[at].first != kNone; at = next(at))
            if (places_[at].first == key) return false;
        places_[at] = {key, value};
        ++size_;
        return true;
    }
    /// Gives a key this value, whether it had one or not.
    void set(uint64_t key, Value value) {
        if (emplace(key, value)) return;
        if (key == kNone) {
            of_none_ = value;
            return;
        }
        size_t at = first(key);
        while (places_[at].first != key) at = next(at);
        places_[at].second = value;
    }
    /// Makes room for this many keys.
    void reserve(size_t count) {
        if (4 * count > 3 * places_.size()) enlarge(std::bit_ceil(count / 3 * 4 + 4));
    }

private:
    static constexpr uint64_t kNone = 0;  // marks a free place; the value of this key is kept apart
    static constexpr size_t kFewest = 16;

    size_t first(uint64_t key) const { return static_cast<size_t>(key) & (places_.size() - 1); }
    size_t next(size_t at) const { return (at + 1) & (places_.size() - 1); }
    void enlarge(size_t count) {
        std::vector<std::pair<uint64_t, Value>> before(std::max(count, kFewest), {kNone, Value{}});
        places_.swap(before);
        for (const auto& [key, value] : before) {
            if (key == kNone) continue;
            size_t at = first(key);
            while (places_[at].first != kNone) at = next(at);
            places_[at] = {key, value};
        }
    }

    std::vector<std::pair<uint64_t, Value>> places_;  // a power of two
    size_t size_ = 0;                                 // without the key kNone
    bool has_none_ = false;
    Value of_none_{};
};

}  // namespace forebear
