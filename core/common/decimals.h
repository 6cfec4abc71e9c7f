// Decimal numbers in text: the same in every locale.
#pragma once

#include <cstddef>
#include <string_view>

namespace forebear {

/// Enough room for any number that write_double writes.
constexpr size_t kMostDigits = 32;

/// Reads a whole word as a number. Returns false if it is none, or too large or too small for one.
bool read_double(std::string_view word, double& value);

/// Writes 17 significant digits, which read back as the same number. Returns the end.
char* write_double(char* begin, double value);

}  // namespace forebear
