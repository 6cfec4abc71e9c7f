#include "scoring/logrising.h"

#include <algorithm>
#include <cmath>

#include "common/index.h"
#include "scoring/kernels.h"

namespace forebear {

namespace {

// The series starts where n is this many times as large as the prior, and at least this. Its first
// missing term is then below 2^-58 times the prior or 1, whichever is larger.
constexpr int64_t kSeriesFrom = 256;

// lgamma writes the sign to a global variable, which is not read here.
long double log_gamma(long double x) { return std::lgamma(x); }

}  // namespace

int64_t to_fixed(long double value, int scale_bits) {
    const long double scaled = std::ldexp(value, scale_bits);
    if (scaled <= static_cast<long double>(kNeverKept)) return kNeverKept;
    if (scaled >= -static_cast<long double>(kNeverKept)) return -kNeverKept;
    return std::llround(scaled);
}

LogGammas::LogGammas(int64_t counts, int64_t unit) : unit_(unit) {
    const size_t length = index(std::min(counts, kLongestTable)) + 1;
    whole_.resize(length);
    rests_.resize(length);
    logs_.resize(length);
    long double value = 0.0L;
    for (size_t count = 1; count < length; ++count) {
        const long double rows = static_cast<long double>(count) / static_cast<long double>(unit);
        // Few steps from an exact value, so that rounding errors do not accumulate.
        if (unit != 1 || count % 256 == 1) value = log_gamma(rows);
        const long double log = std::log(rows);
        whole_[count] = static_cast<int32_t>(std::lround(value));
        rests_[count] = static_cast<double>(value - static_cast<long double>(whole_[count]));
        logs_[count] = static_cast<double>(log);
        value += log;
    }
}

LogRising::LogRising(long double start, const LogGammas& gammas, int scale_bits)
    : gammas_(&gammas),
      start_(start),
      log_gamma_(log_gamma(start)),
      scale_bits_(scale_bits) {
    // The expansion of log Γ(n + a) - log Γ(n) - a log n by Bernoulli polynomials of a (DLMF 5.11.8).
    const auto a = static_cast<double>(start);
    series_ = {a * (a - 1.0) / 2.0, -a * (a - 0.5) * (a - 1.0) / 6.0,
               a * a * (a - 1.0) * (a - 1.0) / 12.0,
               -a * (((a - 2.5) * a + 5.0 / 3.0) * a * a - 1.0 / 6.0) / 20.0,
               a * a * (((a - 3.0) * a + 2.5) * a * a - 0.5) / 30.0};
    const double from = static_cast<double>(kSeriesFrom * gammas.unit()) * std::max(1.0, a);
    first_ = static_cast<int64_t>(std::min(from, static_cast<double>(gammas.length())));
}

void LogRising::operator()(int64_t begin, int64_t end, int64_t* out) const {
    const int64_t first = std::clamp(first_, begin, end);
    const int64_t last = std::clamp(gammas_->length(), first, end);
    by_library(begin, first, out);
    const auto a = static_cast<double>(start_), log_gamma = static_cast<double>(log_gamma_);
    const double ticks = std::ldexp(1.0, scale_bits_), unit = static_cast<double>(gammas_->unit());
    for (int64_t count = first; count < last; ++count) {
        const double inverse = unit / static_cast<double>(count);
        double sum = 0.0;
        for (size_t i = series_.size(); i-- > 0;) sum = (sum + series_[i]) * inverse;
        sum += a * gammas_->log(count) - log_gamma + gammas_->rest(count);
        out[count - begin] = (gammas_->whole(count) << scale_bits_) +
                             static_cast<int64_t>(sum * ticks + std::copysign(0.5, sum));
    }
    by_library(last, end, out + (last - begin));
}

void LogRising::by_library(int64_t begin, int64_t end, int64_t* out) const {
    const int64_t unit = gammas_->unit();
    long double value = 0.0L;
    for (int64_t count = begin; count < end; ++count) {
        const long double rows = static_cast<long double>(count) / static_cast<long double>(unit);
        if (count == 0) value = 0.0L;
        else if (count == begin || unit != 1) value = log_gamma(rows + start_) - log_gamma_;
        *out++ = to_fixed(value, scale_bits_);
        value += std::log(rows + start_);
    }
}

}  // namespace forebear
