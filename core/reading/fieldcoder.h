// Delimited text to codes: every field becomes the number of its text in a dictionary of its column.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace forebear {

/// What separates fields, and which lines are left out.
struct FieldFormat {
    std::string separators;             ///< one character, or several that count as blanks
    bool runs;                          ///< several separators in a row count as one
    bool quotes;                        ///< fields may be in double quotes
    bool skip_blank;                    ///< blank lines are left out; otherwise they are rows
    std::vector<std::string> comments;  ///< lines that start with one of these are left out
    std::vector<std::string> tokens;    ///< these texts are marked if they are in quotes
    std::string mark;                   ///< what is put before them
};

/// The distinct texts of a column, each with a code, and the line where it occurred first.
class TextDictionary {
public:
    TextDictionary() : slots_(64) {}

    /// The number of codes given so far.
    size_t n_codes() const { return n_forgotten_ + size(); }
    /// The number of texts that are not forgotten.
    size_t size() const { return lines_.size(); }
    /// These texts, each followed by a zero byte.
    const std::string& texts() const { return texts_; }
    const std::vector<int64_t>& lines() const { return lines_; }

    /// The code of a text, which is added if it is new. `head` has its first eight bytes.
    uint32_t code(std::string_view text, uint64_t head, int64_t line);

    /// Forgets the texts. From then on, every text gets a new code, as if it had not occurred.
    void forget();

private:
    struct Slot {
        uint64_t head = 0;
        uint32_t length = 0;
        uint32_t place = empty;
    };
    static constexpr uint32_t empty = UINT32_MAX;

    std::string_view text(size_t place) const {
        const size_t start = place == 0 ? 0 : ends_[place - 1];
        return std::string_view(texts_).substr(start, ends_[place] - 1 - start);
    }
    uint32_t add(std::string_view text, int64_t line);
    void grow();
    static uint64_t hash(std::string_view text, uint64_t head);

    std::vector<Slot> slots_;
    std::string texts_;
    std::vector<size_t> ends_;
    std::vector<int64_t> lines_;
    size_t n_forgotten_ = 0;
};

/// What is wrong with a line.
enum class FieldError { none, ragged, expected, unexpected_end };

/// What a call of FieldCoder::add did.
struct FieldBatch {
    int64_t rows = 0;
    int64_t consumed = 0;  ///< bytes of complete records
    int64_t lines = 0;     ///< lines of complete records
    FieldError error = FieldError::none;
    int64_t error_line = 0;
    int64_t error_offset = 0;  ///< where that line starts
    int64_t found = 0;         ///< the number of fields of a ragged line
};

/// Codes the fields of a table of which only the columns in use are kept.
class FieldCoder {
public:
    FieldCoder(FieldFormat format, const std::vector<bool>& used);

    /// Codes the records in `text`, which starts with line number `line`. A record without its end
    /// is left to the next call, unless the text is the last. If `keep` is not empty, it tells for
    /// each line whether a record that starts there is coded. Texts of other records are noted
    /// while their column has few, because headers are recognized by all rows.
    FieldBatch add(std::string_view text, int64_t line, bool last, std::span<const uint8_t> keep);

    /// The codes of the last batch in a column in use, and the line of each of its rows.
    const std::vector<uint32_t>& codes(size_t column) const { return codes_[column]; }
    const std::vector<int64_t>& lines() const { return lines_; }

    const TextDictionary& dictionary(size_t column) const { return dictionaries_[column]; }
    TextDictionary& dictionary(size_t column) { return dictionaries_[column]; }
    size_t columns() const { return dictionaries_.size(); }

    /// Whether any field has text outside quotes.
    bool any_unquoted() const { return any_unquoted_; }

private:
    struct Blank {
        int64_t line;
        bool kept;
    };

    enum class LineKind { record, skipped, incomplete };

    LineKind skip_line(const char* end, bool last);
    bool parse_plain(const char* end, bool last);
    bool parse_record(const char* end, bool last, FieldBatch& batch);
    void put_blank_rows();
    void note_unquoted(std::string_view text) {
        if (!any_unquoted_) any_unquoted_ = text.find_first_not_of(",;\t| ") != text.npos;
    }
    void put(std::string_view text);
    void put(std::string_view text, uint64_t head);
    bool is_separator(char c) const {
        return c == format_.separators[0] ||
               (format_.runs && format_.separators.find(c) != std::string::npos);
    }

    FieldFormat format_;
    std::vector<int> place_;  ///< of each field among the columns in use, or -1
    std::vector<TextDictionary> dictionaries_;
    std::vector<std::vector<uint32_t>> codes_;
    std::vector<int64_t> lines_;
    std::vector<Blank> blank_;  ///< blank lines that are rows if another row follows
    std::string field_;
    const char* at_ = nullptr;  ///< the current record
    int64_t line_ = 0;          ///< the line of at_
    size_t n_fields_ = 0;       ///< fields of the current record so far
    bool kept_ = true;          ///< whether the current record is coded
    bool any_unquoted_ = false;
};

}  // namespace forebear
