// Lines and words of .jkl text, and how error messages show them.
#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>
#include <string_view>

namespace forebear::jkl {

/// An error in a file. The message is `line: what`.
class Defect : public std::runtime_error {
public:
    Defect(std::size_t line, const std::string& what)
        : std::runtime_error(std::to_string(line) + ": " + what) {}
};

/// Iterates over the lines of a text that are neither blank nor comments, and over the words of
/// each.
class Lines {
public:
    explicit Lines(std::string_view text) : at_(text.data()), end_(at_ + text.size()) {}

    /// Goes to the next such line. Returns false at the end of the text.
    bool next();

    /// The next word of this line; empty if there is none left.
    std::string_view word();

    /// The number of the current line, from 1; at the end, that of the last line.
    std::size_t number() const { return number_ > 0 ? number_ : 1; }

private:
    void skip_blanks();

    const char* at_;
    const char* end_;
    std::size_t number_ = 0;  // 0: before the first line
};

/// Whether `text` is well-formed UTF-8 without control characters.
bool is_printable(std::string_view text);

/// `word` for an error message: always valid UTF-8, and cut if it is long.
std::string shown(std::string_view word);

}  // namespace forebear::jkl
