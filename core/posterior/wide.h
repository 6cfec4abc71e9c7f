// Numbers with the precision of a double and a far wider range, the same on every system.
#pragma once

#include <cmath>
#include <cstdint>

namespace forebear {

/// A number as value * 2^(512 * power), where the size of the value is in [2^-256, 2^256) or zero.
/// The power changes seldom, so that most operations are those of a double. A long double would do
/// on some systems; on others it is a double.
class Wide {
public:
    Wide() = default;
    Wide(double value) : value_(value) { settle(); }

    static Wide exp(double x) {
        // 512 log 2, as a number with few digits, whose multiples are exact, and the rest.
        constexpr double kHigh = 354.875, kLow = 0.016356446691998422;
        const double power = std::floor(x / (kHigh + kLow));
        Wide result(std::exp((x - power * kHigh) - power * kLow));
        if (result.value_ != 0.0) result.power_ += static_cast<int64_t>(power);
        return result;
    }
    double log() const {
        constexpr double kLog = 354.8913564466919984;
        return std::log(value_) + static_cast<double>(power_) * kLog;
    }
    /// The nearest double: zero or infinity if it is out of range.
    explicit operator double() const {
        const int64_t most = 8;  // any power beyond has left the range of a double
        const int64_t power = power_ > most ? most : power_ < -most ? -most : power_;
        return std::ldexp(value_, static_cast<int>(512 * power));
    }
    bool positive() const { return value_ > 0.0; }
    bool zero() const { return value_ == 0.0; }
    bool finite() const { return std::isfinite(value_); }

    Wide operator-() const { return Wide(-value_, power_); }
    Wide& operator+=(const Wide& other) {
        if (power_ == other.power_) value_ += other.value_;
        else if (other.value_ == 0.0) return *this;
        else if (value_ == 0.0) *this = other;
        else if (power_ < other.power_) *this = Wide(other.value_ + below(*this, other), other.power_);
        else value_ += below(other, *this);
        settle();
        return *this;
    }
    Wide& operator-=(const Wide& other) { return *this += -other; }
    friend Wide operator*(const Wide& a, const Wide& b) {
        Wide product(a.value_ * b.value_, a.power_ + b.power_);
        product.settle();
        return product;
    }
    friend Wide operator/(const Wide& a, const Wide& b) {
        Wide ratio(a.value_ / b.value_, a.power_ - b.power_);
        ratio.settle();
        return ratio;
    }

private:
    static constexpr double kUnit = 0x1p512, kMost = 0x1p256;

    Wide(double value, int64_t power) : value_(value), power_(power) {}

    /// The value of a number in the unit of a larger one; nothing if it is too small to matter.
    static double below(const Wide& small, const Wide& large) {
        return large.power_ - small.power_ == 1 ? small.value_ / kUnit : 0.0;
    }
    void settle() {
        const double size = std::abs(value_);
        if (size >= kMost) {
            if (!std::isfinite(size)) return;
            value_ /= kUnit;
            ++power_;
        } else if (size < 1.0 / kMost) {
            if (size == 0.0) {
                power_ = 0;
                return;
            }
            value_ *= kUnit;
            --power_;
        }
    }

    double value_ = 0.0;
    int64_t power_ = 0;
};

}  // namespace forebear
