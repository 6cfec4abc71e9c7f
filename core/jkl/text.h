// The text side of reading .jkl files: lines, words, and how to speak of them in an error.
#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>
#include <string_view>

namespace forebear::jkl {

/// What is wrong with a file, and on which line: its message reads `line: what`.
class Defect : public std::runtime_error {
public:
    Defect(std::size_t line, const std::string& what)
        : std::runtime_error(std::to_string(line) + ": " + what) {}
};

/// Walks over the lines of a text that say something (neither blank nor a
/// comment), and over the words of each.
class Lines {
public:
    explicit Lines(std::string_view text) : at_(text.data()), end_(at_ + text.size()) {}

    /// Goes to the next line that says something; false at the end of the text.
    bool next();

    /// The next word of this line; empty when there is none left.
    std::string_view word();

    /// The current line's number in the file, from 1; at the end, the last line's.
    std::size_t number() const { return number_ > 0 ? number_ : 1; }

private:
    void skip_blanks();

    const char* at_;
    const char* end_;
    std::size_t number_ = 0;  // 0: before the first line
};

/// True if `text` is well-formed UTF-8 without control characters.
bool is_printable(std::string_view text);

/// `word` as an error message can show it: always valid UTF-8, never long.
std::string shown(std::string_view word);

}  // namespace forebear::jkl
