#include "reading/fieldcoder.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "common/index.h"

namespace forebear {

namespace {

constexpr uint64_t every_byte = 0x0101010101010101;

/// Texts of rows that are not kept are noted up to this number per column: as many as a type of two
/// bytes can number, more than any column of states has.
constexpr size_t most_noted = 65536;

/// The next bytes, the first of them lowest; zeros after the end.
uint64_t load(const char* at, const char* end) {
    uint64_t word = 0;
    const auto size = static_cast<size_t>(end - at);
    if constexpr (std::endian::native == std::endian::little) {
        if (size >= 8)
            std::memcpy(&word, at, 8);
        else
            std::memcpy(&word, at, size);
    } else {
        for (size_t i = 0; i < std::min<size_t>(8, size); ++i)
            word |= static_cast<uint64_t>(static_cast<unsigned char>(at[i])) << (8 * i);
    }
    return word;
}

/// The high bit of every byte that is zero; above the first of them, other bits may be set.
uint64_t zero_bytes(uint64_t word) { return (word - every_byte) & ~word & (every_byte << 7); }

uint64_t first_bytes(uint64_t word, size_t count) {
    return count >= 8 ? word : word & ((uint64_t{1} << (8 * count)) - 1);
}

bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

}  // namespace

uint64_t TextDictionary::hash(std::string_view text, uint64_t head) {
    constexpr uint64_t factor = 0x9E3779B97F4A7C15;
    uint64_t value = (head ^ text.size()) * factor;
    for (size_t i = 8; i < text.size(); i += 8) {
        value ^= load(text.data() + i, text.data() + text.size());
        value = (value ^ (value >> 29)) * factor;
    }
    return value ^ (value >> 32);
}

uint32_t TextDictionary::code(std::string_view text, uint64_t head, int64_t line) {
    const auto first = static_cast<uint32_t>(n_forgotten_);
    if (slots_.empty()) return first + add(text, line);
    for (uint64_t at = hash(text, head);; ++at) {
        Slot& slot = slots_[at & (slots_.size() - 1)];
        if (slot.place == empty) {
            slot = {head, static_cast<uint32_t>(text.size()), add(text, line)};
            const uint32_t added = slot.place;
            if (2 * size() > slots_.size()) grow();
            return first + added;
        }
        if (slot.head == head && slot.length == text.size() &&
            (text.size() <= 8 || this->text(slot.place) == text))
            return first + slot.place;
    }
}

uint32_t TextDictionary::add(std::string_view text, int64_t line) {
    texts_.append(text);
    texts_ += '\0';
    ends_.push_back(texts_.size());
    lines_.push_back(line);
    return static_cast<uint32_t>(size() - 1);
}

void TextDictionary::grow() {
    std::vector<Slot> old(2 * slots_.size());
    old.swap(slots_);
    for (const Slot& slot : old) {
        if (slot.place == empty) continue;
        uint64_t at = hash(text(slot.place), slot.head);
        while (slots_[at & (slots_.size() - 1)].place != empty) ++at;
        slots_[at & (slots_.size() - 1)] = slot;
    }
}

void TextDictionary::forget() {
    n_forgotten_ = n_codes();
    std::vector<Slot>().swap(slots_);
    texts_.clear(), ends_.clear(), lines_.clear();
}

FieldCoder::FieldCoder(FieldFormat format, const std::vector<bool>& used)
    : format_(std::move(format)), any_unquoted_(!format_.quotes) {
    int next = 0;
    for (const bool one : used) place_.push_back(one ? next++ : -1);
    dictionaries_.resize(index(next));
    codes_.resize(index(next));
}

FieldBatch FieldCoder::add(std::string_view text, int64_t line, bool last,
                           std::span<const uint8_t> keep) {
    for (auto& own : codes_) own.clear();
    lines_.clear();
    FieldBatch batch;
    const char* const start = text.data();
    const char* const end = start + text.size();
    at_ = start, line_ = line;
    // Without quotes and with one separator, a record is a line, and its fields need no copies.
    const bool plain = !format_.runs && (!format_.quotes || text.find('"') == text.npos);
    while (at_ < end) {
        const char* const record = at_;
        const int64_t first = line_;
        const size_t offset = index(line_ - line);
        kept_ = keep.empty() || (offset < keep.size() && keep[offset]);
        const LineKind kind = skip_line(end, last);
        if (kind == LineKind::skipped) continue;
        n_fields_ = 0;
        if (kind == LineKind::incomplete ||
            !(plain ? parse_plain(end, last) : parse_record(end, last, batch))) {
            at_ = record, line_ = first;
            for (auto& own : codes_) own.resize(lines_.size());
            break;
        }
        if (n_fields_ != place_.size()) {
            const char* line_start = at_ - 1;
            while (line_start > record && line_start[-1] != '\n') --line_start;
            batch.error = FieldError::ragged;
            batch.error_line = line_ - 1;
            batch.error_offset = line_start - start;
            batch.found = static_cast<int64_t>(n_fields_);
            break;
        }
        if (kept_) lines_.push_back(first);
    }
    if (last) blank_.clear();  // blank lines at the end of a file are no rows
    batch.rows = static_cast<int64_t>(lines_.size());
    batch.consumed = at_ - start;
    batch.lines = line_ - line;
    return batch;
}

/// Skips a comment, or a blank line.
FieldCoder::LineKind FieldCoder::skip_line(const char* end, bool last) {
    if (*at_ != ' ' && *at_ != '\n' && !format_.runs && format_.comments.empty()) {
        if (!blank_.empty()) put_blank_rows();
        return LineKind::record;
    }
    const char* next = static_cast<const char*>(std::memchr(at_, '\n', index(end - at_)));
    if (next == nullptr) {
        if (!last) return LineKind::incomplete;
        next = end;
    }
    const char* from = at_;
    while (from < next && (*from == ' ' || (format_.runs && is_separator(*from)))) ++from;
    const bool blank = from == next;
    while (from < next && is_space(*from)) ++from;
    const std::string_view rest(from, index(next - from));
    const bool comment = std::any_of(format_.comments.begin(), format_.comments.end(),
                                     [&](const auto& mark) { return rest.starts_with(mark); });
    if (!blank && !comment) {
        if (!blank_.empty()) put_blank_rows();
        return LineKind::record;
    }
    if (blank && !format_.skip_blank) blank_.push_back({line_, kept_});
    at_ = std::min(next + 1, end);
    ++line_;
    return LineKind::skipped;
}

void FieldCoder::put_blank_rows() {
    const bool kept = kept_;
    const int64_t line = line_;
    for (const Blank& row : blank_) {
        n_fields_ = 0, kept_ = row.kept, line_ = row.line;
        put({});
        if (row.kept) lines_.push_back(row.line);
    }
    blank_.clear();
    kept_ = kept, line_ = line;
}

bool FieldCoder::parse_plain(const char* end, bool last) {
    const uint64_t separators = every_byte * static_cast<unsigned char>(format_.separators[0]);
    const uint64_t newlines = every_byte * '\n';
    const char* field = at_;
    for (const char* at = at_;;) {
        const uint64_t word = load(at, end);
        uint64_t stops = zero_bytes(word ^ separators) | zero_bytes(word ^ newlines);
        if (stops == 0 && end - at > 8) {
            at += 8;
            continue;
        }
        at = stops == 0 ? end : at + std::countr_zero(stops) / 8;
        if (at == end && !last) return false;
        const size_t length = index(at - field);
        note_unquoted({field, length});
        put({field, length}, first_bytes(load(field, end), length));
        if (at == end || *at == '\n') {
            at_ = std::min(at + 1, end);
            ++line_;
            return true;
        }
        field = ++at;
    }
}

/// Parses a record as Python's csv module does, with strict=True and skipinitialspace=True.
bool FieldCoder::parse_record(const char* end, bool last, FieldBatch& batch) {
    const char* at = at_;
    int64_t lines = 0;
    const auto fail = [&](FieldError error) {
        batch.error = error;
        batch.error_line = line_;
        return false;
    };
    const auto at_end = [&] { return at == end || *at == '\n'; };
    for (;;) {
        while (at < end && (*at == ' ' || (format_.runs && is_separator(*at)))) ++at;
        if (at == end && !last) return false;
        if (format_.runs && at_end() && n_fields_ > 0) break;  // blanks at the end of the line
        if (at < end && *at == '"' && format_.quotes) {
            field_.clear();
            for (++at;; ++at) {
                if (at == end) return last ? fail(FieldError::unexpected_end) : false;
                if (*at == '"' && (++at == end || *at != '"')) break;
                lines += *at == '\n';
                field_ += *at;
            }
            if (at == end && !last) return false;
            if (!at_end() && !is_separator(*at)) return fail(FieldError::expected);
            const auto& tokens = format_.tokens;
            if (std::find(tokens.begin(), tokens.end(), field_) != tokens.end())
                field_.insert(0, format_.mark);
            put(field_);
        } else {
            const char* const field = at;
            while (!at_end() && !is_separator(*at)) ++at;
            if (at == end && !last) return false;
            const std::string_view text(field, index(at - field));
            note_unquoted(text);
            put(text);
        }
        if (at_end()) break;
        ++at;
    }
    at_ = std::min(at + 1, end);
    line_ += lines + 1;
    return true;
}

void FieldCoder::put(std::string_view text) {
    put(text, first_bytes(load(text.data(), text.data() + text.size()), text.size()));
}

void FieldCoder::put(std::string_view text, uint64_t head) {
    const size_t field = n_fields_++;
    if (field >= place_.size() || place_[field] < 0) return;
    TextDictionary& dictionary = dictionaries_[index(place_[field])];
    if (kept_)
        codes_[index(place_[field])].push_back(dictionary.code(text, head, line_));
    else if (dictionary.n_codes() < most_noted)
        dictionary.code(text, head, line_);
}

}  // namespace forebear
