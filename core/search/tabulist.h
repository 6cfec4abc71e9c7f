// The pairs of variables that a tabu search changed last.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "common/index.h"

namespace forebear {

/// Holds the last `length` unordered pairs. It is searched linearly, because it is short and only
/// moves that would be the best so far are looked up.
class TabuList {
public:
    explicit TabuList(int length) : length_(index(length)) {}

    void clear() {
        pairs_.clear();
        oldest_ = 0;
    }
    void add(int a, int b) {
        if (length_ == 0) return;
        if (pairs_.size() < length_) {
            pairs_.push_back(code(a, b));
        } else {
            pairs_[oldest_] = code(a, b);
            oldest_ = (oldest_ + 1) % length_;
        }
    }
    bool holds(int a, int b) const {
        return std::find(pairs_.begin(), pairs_.end(), code(a, b)) != pairs_.end();
    }

private:
    static uint64_t code(int a, int b) {
        const auto [low, high] = std::minmax(a, b);
        return static_cast<uint64_t>(low) << 32 | static_cast<uint64_t>(high);
    }

    size_t length_;
    size_t oldest_ = 0;
    std::vector<uint64_t> pairs_;
};

}  // namespace forebear
