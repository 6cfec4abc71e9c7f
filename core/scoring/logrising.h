// The logarithms that BDeu and BDs add up over the cells of a table: log Γ(n + a) - log Γ(a), the
// log of the rising factorial of a, for n rows in a cell and a prior of a rows.
//
// Sets with different numbers of cells have different a. With a logarithm for every a and n, 500,000
// rows of hailfinder took three times as long to score. Therefore log Γ(n) is computed once for a
// table, and log Γ(n + a) - log Γ(n) follows from a short series in 1 / n.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace forebear {

/// The largest tabulated count. Larger ones are computed on demand: a family of N rows has at most
/// N / kLongestTable of them.
inline constexpr int64_t kLongestTable = int64_t{1} << 20;

int64_t to_fixed(long double value, int scale_bits);

/// log Γ(n) and log n of the counts of a table.
class LogGammas {
public:
    /// A count is in units of 1 / `unit` rows.
    LogGammas(int64_t counts, int64_t unit);

    int64_t unit() const { return unit_; }
    int64_t bytes() const { return 20 * length(); }
    int64_t length() const { return static_cast<int64_t>(logs_.size()); }
    /// log Γ(n) is the sum of a whole number and a rest of at most 1/2: a double has not enough
    /// digits for both.
    int64_t whole(int64_t count) const { return whole_[static_cast<size_t>(count)]; }
    double rest(int64_t count) const { return rests_[static_cast<size_t>(count)]; }
    double log(int64_t count) const { return logs_[static_cast<size_t>(count)]; }

private:
    int64_t unit_;
    std::vector<int32_t> whole_;
    std::vector<double> rests_, logs_;
};

/// The log of the rising factorial of one number, in fixed point.
class LogRising {
public:
    LogRising(long double start, const LogGammas& gammas, int scale_bits);

    /// Writes the values of the counts from `begin` to `end`.
    void operator()(int64_t begin, int64_t end, int64_t* out) const;

private:
    void by_library(int64_t begin, int64_t end, int64_t* out) const;

    const LogGammas* gammas_;
    long double start_, log_gamma_;  // of the number itself
    std::array<double, 5> series_;   // by the power of 1 / n, from 1
    int64_t first_;  // the counts from here on follow from the series
    int scale_bits_;
};

}  // namespace forebear
