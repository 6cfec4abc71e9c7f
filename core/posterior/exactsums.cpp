#include "posterior/exactsums.h"

#include <bit>
#include <cmath>
#include <stdexcept>

#include "common/index.h"

namespace forebear {

namespace {

/// A number with the precision of a double and a far wider range: the sums of a table of 1,000 rows
/// span thousands of nats. It is value * 2^(512 * power), where the size of the value is in
/// [2^-256, 2^256) or zero. The power changes seldom, so that most operations are those of a double.
/// A long double would do on some systems; on others it is a double.
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

/// The subsets of a set of variables, as sums of single bits: places[r] is subset number r.
void list_subsets(uint32_t set, std::vector<uint32_t>& places) {
    places.assign(1, 0);
    for (uint32_t left = set; left != 0; left &= left - 1) {
        const uint32_t bit = left & (~left + 1);
        const size_t size = places.size();
        for (size_t r = 0; r < size; ++r) places.push_back(places[r] | bit);
    }
}

/// products[r]: the product of the factors in subset number r.
void multiply_subsets(const std::vector<Wide>& factors, std::vector<Wide>& products) {
    products.assign(1, 1.0);
    for (const Wide factor : factors) {
        const size_t size = products.size();
        for (size_t r = 0; r < size; ++r) products.push_back(products[r] * factor);
    }
}

class Sums {
public:
    Sums(int n) : n_(n), size_(size_t{1} << n), allowed_(index(n) * size_) {}

    /// The sum of the weights of v's sets within a set of variables.
    Wide& allowed(int v, uint32_t set) { return allowed_[index(v) * size_ + set]; }

    void add_subsets() {
        for (int v = 0; v < n_; ++v)
            for (int bit = 0; bit < n_; ++bit)
                for (uint32_t set = 0; set < size_; ++set)
                    if (set >> bit & 1) allowed(v, set) += allowed(v, set ^ 1u << bit);
    }

    /// networks_[S] sums over the networks of S. The variables without children are some R: by
    /// inclusion and exclusion, it is the sum over R of (-1)^(|R|+1) networks_[S - R] times the
    /// sets that R's members have within S - R. Returns false if the budget is spent.
    bool forward(const Budget& budget) {
        networks_.assign(size_, 0.0);
        networks_[0] = 1.0;
        for (uint32_t set = 0; set + 1 < size_; ++set) {
            if ((set & 255) == 0 && budget.spent()) return false;
            if (networks_[set].zero()) continue;
            prepare(set);
            const Wide own = networks_[set];
            for (size_t r = 1; r < places_.size(); ++r)
                networks_[set | places_[r]] -= own * products_[r];
        }
        return true;
    }

    /// Replaces allowed() by the derivatives of the sum over all networks.
    bool backward(const Budget& budget) {
        std::vector<Wide> slopes(size_, 0.0), folded;
        slopes[size_ - 1] = 1.0;
        for (uint32_t set = static_cast<uint32_t>(size_ - 1); set-- > 0;) {
            if ((set & 255) == 0 && budget.spent()) return false;
            prepare(set);
            folded.assign(places_.size(), 0.0);
            for (size_t r = 1; r < places_.size(); ++r) folded[r] = slopes[set | places_[r]];
            // Folding away the last variable leaves a polynomial of the others.
            for (size_t k = variables_.size(); k-- > 0;) {
                const size_t half = size_t{1} << k;
                Wide slope = 0.0;
                for (size_t r = 0; r < half; ++r) slope += products_[r] * folded[half + r];
                for (size_t r = 0; r < half; ++r) folded[r] += factors_[k] * folded[half + r];
                allowed(variables_[k], set) = networks_[set] * slope;
            }
            slopes[set] = -folded[0];
        }
        for (int v = 0; v < n_; ++v)
            for (uint32_t set = 0; set < size_; ++set)
                if (set >> v & 1) allowed(v, set) = 0.0;
        return true;
    }

    void add_supersets() {
        for (int v = 0; v < n_; ++v)
            for (int bit = 0; bit < n_; ++bit)
                for (uint32_t set = 0; set < size_; ++set)
                    if (!(set >> bit & 1)) allowed(v, set) += allowed(v, set | 1u << bit);
    }

    Wide total() const { return networks_[size_ - 1]; }

private:
    /// Lists the variables outside a set, minus the weights of their sets within it, and products.
    void prepare(uint32_t set) {
        const uint32_t rest = static_cast<uint32_t>(size_ - 1) & ~set;
        variables_.clear();
        factors_.clear();
        for (uint32_t left = rest; left != 0; left &= left - 1) {
            variables_.push_back(std::countr_zero(left));
            factors_.push_back(-allowed(variables_.back(), set));
        }
        list_subsets(rest, places_);
        multiply_subsets(factors_, products_);
    }

    int n_;
    size_t size_;
    std::vector<Wide> allowed_, networks_;
    std::vector<int> variables_;
    std::vector<Wide> factors_, products_;
    std::vector<uint32_t> places_;
};

}  // namespace

ExactSums exact_sums(const ParentSetsView<uint16_t>& sets, std::span<const double> scale,
                     const Budget& budget) {
    const int n = sets.n();
    if (n > kMostExactVariables) throw std::invalid_argument("too many variables");
    ExactSums result;
    Sums sums(n);
    const auto mask = [&](int64_t place) {
        uint32_t set = 0;
        for (int k = 0; k < sets.slots && sets.parent(k, place) != sets.kNone; ++k)
            set |= 1u << sets.parent(k, place);
        return set;
    };
    const auto weight = [&](int v, int64_t place) {
        return Wide::exp(sets.scores[index(place)] - scale[index(v)]);
    };
    const auto for_each_set = [&](const auto& visit) {
        for (int v = 0; v < n; ++v)
            for (int64_t place = sets.offsets[index(v)]; place < sets.offsets[index(v) + 1]; ++place)
                visit(v, place);
    };
    for_each_set([&](int v, int64_t place) { sums.allowed(v, mask(place)) += weight(v, place); });
    sums.add_subsets();
    if (!sums.forward(budget)) return result;
    const Wide total = sums.total();
    if (!total.positive() || !total.finite())
        throw std::overflow_error("the weights of networks span too wide a range");
    result.log_total = total.log();
    for (const double own : scale) result.log_total += own;
    if (!sums.backward(budget)) return result;
    sums.add_supersets();
    result.probabilities.resize(index(sets.total()));
    for_each_set([&](int v, int64_t place) {
        const Wide share = weight(v, place) * sums.allowed(v, mask(place)) / total;
        if (!share.finite())
            throw std::overflow_error("the weights of networks span too wide a range");
        result.probabilities[index(place)] = static_cast<double>(share);
    });
    result.finished = true;
    return result;
}

}  // namespace forebear
