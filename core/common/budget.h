// When to stop.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <optional>

namespace forebear {

/// When to stop: at a time, or when somebody says so.
struct Budget {
    std::chrono::steady_clock::time_point deadline = std::chrono::steady_clock::time_point::max();
    const std::atomic<bool>* cancelled = nullptr;
    bool spent() const {
        if (cancelled && cancelled->load(std::memory_order_relaxed)) return true;
        return deadline != std::chrono::steady_clock::time_point::max() &&
               std::chrono::steady_clock::now() > deadline;
    }
};

/// A time limit that can also be called off; shared by all threads of a run.
struct SharedBudget {
    std::atomic<bool> cancelled{false};
    Budget budget;
    explicit SharedBudget(std::optional<double> seconds) {
        budget.cancelled = &cancelled;
        if (seconds)
            budget.deadline =
                std::chrono::steady_clock::now() +
                std::chrono::nanoseconds(static_cast<int64_t>(std::min(*seconds, 1e9) * 1e9));
    }
};

}  // namespace forebear
