#include "common/decimals.h"

#include <charconv>
#include <version>

// Apple's standard library converts no floating-point numbers by <charconv>, or only on new systems.
#if defined(__APPLE__) && !defined(__cpp_lib_to_chars) && !defined(FOREBEAR_BY_LOCALE)
#define FOREBEAR_BY_LOCALE
#endif

#ifdef FOREBEAR_BY_LOCALE
#include <locale.h>
#ifdef __APPLE__
#include <xlocale.h>
#endif

#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>
#endif

namespace forebear {

#ifdef FOREBEAR_BY_LOCALE

namespace {

/// The calling thread uses the locale "C" while this exists.
class PlainLocale {
public:
    PlainLocale() : before_(uselocale(plain())) {}
    PlainLocale(const PlainLocale&) = delete;
    PlainLocale& operator=(const PlainLocale&) = delete;
    ~PlainLocale() { uselocale(before_); }

private:
    static locale_t plain() {
        static const locale_t plain = newlocale(LC_ALL_MASK, "C", nullptr);
        return plain;
    }
    locale_t before_;
};

}  // namespace

bool read_double(std::string_view word, double& value) {
    // strtod also reads blanks, a plus sign, hexadecimal numbers and names of infinity.
    if (word.empty() || word[0] == '+') return false;
    if (word.find_first_not_of("0123456789+-.eE") != word.npos) return false;
    const std::string text(word);
    const PlainLocale locale;
    char* end = nullptr;
    errno = 0;
    value = std::strtod(text.c_str(), &end);
    const bool fits = errno != ERANGE || (value != 0.0 && std::isfinite(value));
    return fits && end == text.c_str() + text.size();
}

char* write_double(char* begin, double value) {
    const PlainLocale locale;
    return begin + std::snprintf(begin, kMostDigits, "%.17g", value);
}

#else

bool read_double(std::string_view word, double& value) {
    const char* const end = word.data() + word.size();
    const auto [stop, error] = std::from_chars(word.data(), end, value);
    return error == std::errc() && stop == end;
}

char* write_double(char* begin, double value) {
    return std::to_chars(begin, begin + kMostDigits, value, std::chars_format::general, 17).ptr;
}

#endif

}  // namespace forebear
