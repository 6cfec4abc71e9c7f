#include "jkl/text.h"

#include <algorithm>
#include <cstring>

namespace forebear::jkl {

namespace {

constexpr std::size_t longest_shown = 40;  // bytes, so that a message fits on a line or two

// A carriage return counts as blank, so that CRLF needs no rule of its own.
bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f'; }

unsigned char byte_at(std::string_view text, std::size_t i) {
    return static_cast<unsigned char>(text[i]);
}

/// The length of the first character of `text`; 0 if it is a control character or not valid UTF-8.
/// Overlong forms and surrogates are not valid.
std::size_t character_length(std::string_view text) {
    const unsigned char lead = byte_at(text, 0);
    if (lead < 0x80) return lead >= 0x20 && lead != 0x7f ? 1 : 0;
    const std::size_t length = lead >= 0xc2 && lead <= 0xdf   ? 2
                               : lead >= 0xe0 && lead <= 0xef ? 3
                               : lead >= 0xf0 && lead <= 0xf4 ? 4
                                                              : 0;
    if (length == 0 || text.size() < length) return 0;
    for (std::size_t i = 1; i < length; ++i) {
        if ((byte_at(text, i) & 0xc0) != 0x80) return 0;
    }
    const unsigned char second = byte_at(text, 1);
    if ((lead == 0xe0 && second < 0xa0) || (lead == 0xed && second > 0x9f)) return 0;
    if ((lead == 0xf0 && second < 0x90) || (lead == 0xf4 && second > 0x8f)) return 0;
    return length;
}

}  // namespace

void Lines::skip_blanks() {
    while (at_ != end_ && is_blank(*at_)) ++at_;
}

bool Lines::next() {
    while (true) {
        if (number_ > 0) {
            if (at_ == end_) return false;
            const void* newline = std::memchr(at_, '\n', static_cast<std::size_t>(end_ - at_));
            at_ = newline == nullptr ? end_ : static_cast<const char*>(newline) + 1;
        }
        if (at_ == end_) return false;
        ++number_;
        skip_blanks();
        if (at_ != end_ && *at_ != '\n' && *at_ != '#') return true;
    }
}

std::string_view Lines::word() {
    skip_blanks();
    const char* start = at_;
    while (at_ != end_ && *at_ != '\n' && !is_blank(*at_)) ++at_;
    return {start, static_cast<std::size_t>(at_ - start)};
}

bool is_printable(std::string_view text) {
    while (!text.empty()) {
        const std::size_t length = character_length(text);
        if (length == 0) return false;
        text.remove_prefix(length);
    }
    return true;
}

std::string shown(std::string_view word) {
    constexpr char hex[] = "0123456789abcdef";
    std::string out;
    while (!word.empty()) {
        if (out.size() >= longest_shown) return out + "...";
        const std::size_t length = character_length(word);
        if (length == 0) {
            const unsigned char byte = byte_at(word, 0);
            out += {'\\', 'x', hex[byte >> 4], hex[byte & 15]};
        } else {
            out += word.substr(0, length);
        }
        word.remove_prefix(std::max<std::size_t>(length, 1));
    }
    return out;
}

}  // namespace forebear::jkl
