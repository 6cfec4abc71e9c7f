// Budgets, which end a run at a deadline or when it is cancelled.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace forebear {

/// A time limit that can also be cancelled, from any thread. Shared by all threads of a run.
class Budget {
public:
    /// The time starts now; without `seconds` there is no limit.
    explicit Budget(std::optional<double> seconds) {
        // Limits are cut to 30 years, so that the deadline does not overflow.
        constexpr double kLongest = 1e9;
        if (seconds)
            deadline_ =
                Clock::now() +
                std::chrono::nanoseconds(static_cast<int64_t>(std::min(*seconds, kLongest) * 1e9));
    }

    void cancel() { cancelled_.store(true, std::memory_order_relaxed); }
    bool cancelled() const { return cancelled_.load(std::memory_order_relaxed); }
    /// Whether the deadline has passed.
    bool late() const { return deadline_ != Clock::time_point::max() && Clock::now() > deadline_; }
    /// Seconds to the deadline, not below zero; nothing if there is none.
    std::optional<double> left() const {
        if (deadline_ == Clock::time_point::max()) return std::nullopt;
        return std::max(0.0, std::chrono::duration<double>(deadline_ - Clock::now()).count());
    }
    bool spent() const { return cancelled() || late(); }

private:
    using Clock = std::chrono::steady_clock;
    std::atomic<bool> cancelled_{false};
    Clock::time_point deadline_ = Clock::time_point::max();
};

/// A budget in a loop of short steps. It reads the clock before the first step and every 16th
/// after it, because reading the clock can take a tenth of the time of a step.
class BudgetOfSteps {
public:
    explicit BudgetOfSteps(const Budget& budget) : budget_(budget) {}
    bool spent() { return budget_.cancelled() || (steps_++ % 16 == 0 && budget_.late()); }

private:
    const Budget& budget_;
    unsigned steps_ = 0;
};

/// A budget in a loop whose steps visit rows of a table. It reads the clock before the first step
/// and after every million rows, which take about a millisecond. For one thread.
class BudgetOfRows {
public:
    /// Without any limit.
    BudgetOfRows() = default;
    explicit BudgetOfRows(const Budget& budget) : budget_(&budget), rows_(kRows) {}
    /// Whether to stop, after a step that visited this many rows.
    bool spent(size_t rows = 0) {
        if (!budget_) return false;
        rows_ += rows;
        if (rows_ >= kRows) {
            rows_ = 0;
            late_ = late_ || budget_->late();
        }
        return late_ || budget_->cancelled();
    }

private:
    static constexpr size_t kRows = 1'000'000;
    const Budget* budget_ = nullptr;
    size_t rows_ = 0;
    bool late_ = false;
};

}  // namespace forebear
