#include "jkl/read.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <numeric>
#include <optional>
#include <unordered_map>
#include <utility>

#include "common/decimals.h"
#include "common/flatmap.h"
#include "common/random.h"
#include "jkl/text.h"

namespace forebear::jkl {

namespace {

// Codes of parents have 32 bits: so many variables and twice as many names fit. No file has more.
constexpr std::uint64_t most_variables = 1u << 30;

std::optional<std::uint64_t> whole_number(std::string_view word) {
    std::uint64_t value = 0;
    const char* end = word.data() + word.size();
    const auto [stop, error] = std::from_chars(word.data(), end, value);
    if (error != std::errc() || stop != end) return std::nullopt;
    return value;
}

std::optional<double> pointed_number(std::string_view word) {
    if (word.size() > 1 && word[0] == '+' && word[1] != '-') word.remove_prefix(1);
    double value = 0;
    if (!read_double(word, value) || !std::isfinite(value)) return std::nullopt;
    return value;
}

/// A finite number, with a decimal point or a decimal comma.
std::optional<double> finite_number(std::string_view word) {
    const auto comma = word.find(',');
    if (comma == word.npos) return pointed_number(word);
    std::string pointed(word);
    pointed[comma] = '.';
    return pointed_number(pointed);
}

/// A word that is the name of a variable or a parent.
struct Symbol {
    std::string_view word;
    std::size_t line;                  // of its first occurrence
    std::size_t block;                 // of its first occurrence
    std::optional<std::size_t> owner;  // the block of the variable of this name
};

struct Block {
    std::string_view name;
    std::string_view text;  // after its first line
    std::size_t line;
    std::size_t first_set;
    std::size_t count;
};

/// Reads the text in one pass. A parent may be named before its own block, so parents are codes
/// until the end: code c < n is the integer c of the file, code n + s is the s-th symbol.
class Parser {
public:
    explicit Parser(std::string_view text) : text_(text), lines_(text) {}

    Table run() {
        read_size();
        while (blocks_.size() < n_) read_block();
        if (lines_.next()) {
            fail("extra line after the last of the " + std::to_string(n_) + " variables");
        }
        place_variables();
        resolve_codes();
        const std::vector<std::uint64_t> keys = set_keys(static_cast<int>(n_));
        for (std::size_t b = 0; b < blocks_.size(); ++b) finish_block(b, keys);
        return std::move(table_);
    }

private:
    [[noreturn]] void fail(const std::string& what) const { throw Defect(lines_.number(), what); }

    /// Throws the defect of a set that was read earlier.
    [[noreturn]] void fail_at(const Block& block, std::size_t set, const std::string& what) const {
        throw Defect(line_of(block, set), "variable " + shown(block.name) + " " + what);
    }

    void read_size();
    void read_block();
    std::uint64_t open_block();
    void read_set(const Block& block, std::uint64_t promised);
    std::size_t symbol(std::string_view word, std::size_t block);
    std::uint32_t parent_code(std::string_view word);
    std::optional<std::uint32_t> id(std::string_view word) const;
    void place_variables();
    void resolve_codes();
    std::uint32_t resolve(const Symbol& symbol) const;
    void finish_block(std::size_t b, std::span<const std::uint64_t> keys);
    void finish_set(const Block& block, std::uint32_t variable, std::size_t set);
    std::size_t line_of(const Block& block, std::size_t set) const;

    std::string_view text_;
    Lines lines_;
    std::uint64_t n_ = 0;
    std::vector<Block> blocks_;
    std::vector<Symbol> symbols_;
    std::unordered_map<std::string_view, std::size_t> symbol_numbers_;
    std::vector<std::uint32_t> variable_of_block_;
    std::vector<std::uint32_t> variable_of_code_;
    Table table_;
};

void Parser::read_size() {
    if (!lines_.next()) fail("the file is empty, expected the number of variables");
    const std::string_view word = lines_.word();
    const auto n = whole_number(word);
    if (!n && text_.substr(0, 4096).find('\0') != text_.npos) fail("this is not a text file");
    if (!n || !lines_.word().empty()) {
        fail("expected the number of variables alone on the line, got '" + shown(word) + "'");
    }
    if (*n == 0) fail("the number of variables must be at least 1, got 0");
    if (*n > most_variables) fail("more variables than a file can have: " + shown(word));
    n_ = *n;
}

/// Reads the line `name count` at the start of a block. Returns the count.
std::uint64_t Parser::open_block() {
    const std::string_view name = lines_.word();
    const std::string_view count_word = lines_.word();
    if (count_word.empty() || !lines_.word().empty()) {
        fail("expected the name of a variable and its number of sets");
    }
    if (!is_printable(name)) fail("name '" + shown(name) + "' is not printable UTF-8 text");
    const auto count = whole_number(count_word);
    if (!count) {
        fail("variable " + shown(name) + ": number of sets '" + shown(count_word) +
             "' is not a whole number");
    }
    Symbol& entry = symbols_[symbol(name, blocks_.size())];
    if (entry.owner) {
        fail("variable " + shown(name) + " comes twice, first on line " +
             std::to_string(blocks_[*entry.owner].line));
    }
    entry.owner = blocks_.size();
    const auto used =
        static_cast<std::size_t>(count_word.data() + count_word.size() - text_.data());
    blocks_.push_back({name, text_.substr(used), lines_.number(), table_.scores.size(), 0});
    return *count;
}

void Parser::read_block() {
    if (!lines_.next()) {
        fail("the file ends after " + std::to_string(blocks_.size()) + " of " + std::to_string(n_) +
             " variables");
    }
    // No memory is reserved for this number: the file may be wrong.
    const std::uint64_t promised = open_block();
    Block& block = blocks_.back();
    for (; block.count < promised; ++block.count) {
        if (!lines_.next()) {
            fail("the file ends after " + std::to_string(block.count) + " of " +
                 std::to_string(promised) + " sets of variable " + shown(block.name));
        }
        read_set(block, promised);
    }
}

/// Reads one line, `score count parent...`, of a block of `promised` lines.
void Parser::read_set(const Block& block, std::uint64_t promised) {
    const auto where = [&] {
        return "variable " + shown(block.name) + ", set " + std::to_string(block.count + 1) +
               " of " + std::to_string(promised) + ": ";
    };
    const std::string_view score_word = lines_.word();
    const auto score = finite_number(score_word);
    if (!score) fail(where() + "score '" + shown(score_word) + "' is not a finite number");
    const std::string_view size_word = lines_.word();
    const auto size = whole_number(size_word);
    if (!size) {
        fail(where() + "number of parents '" + shown(size_word) + "' is not a whole number");
    }
    std::uint64_t listed = 0;
    for (auto word = lines_.word(); !word.empty(); word = lines_.word(), ++listed) {
        table_.parents.push_back(parent_code(word));
    }
    if (listed != *size) {
        fail(where() + "says " + std::to_string(*size) + " parents, but lists " +
             std::to_string(listed));
    }
    table_.scores.push_back(*score);
    table_.starts.push_back(table_.parents.size());
}

/// The number of the symbol `word`, a new one if it was not seen before.
std::size_t Parser::symbol(std::string_view word, std::size_t block) {
    const auto [entry, is_new] = symbol_numbers_.try_emplace(word, symbols_.size());
    if (is_new) {
        if (symbols_.size() >= 2 * most_variables) fail("more names than a file can have");
        symbols_.push_back({word, lines_.number(), block, std::nullopt});
    }
    return entry->second;
}

/// The value of `word` if it is an integer in 0..n-1 without leading zeros.
std::optional<std::uint32_t> Parser::id(std::string_view word) const {
    if (word[0] < '0' || word[0] > '9' || (word[0] == '0' && word.size() > 1)) return std::nullopt;
    const auto value = whole_number(word);
    if (!value || *value >= n_) return std::nullopt;
    return static_cast<std::uint32_t>(*value);
}

std::uint32_t Parser::parent_code(std::string_view word) {
    // Integers need no symbol table, and most files have only integers.
    if (const auto value = id(word)) return *value;
    return static_cast<std::uint32_t>(n_ + symbol(word, blocks_.size() - 1));
}

/// Numbers the variables as they come, unless their names are the integers 0..n-1.
void Parser::place_variables() {
    const bool by_id = std::ranges::all_of(blocks_, [&](const Block& b) { return !!id(b.name); });
    table_.variables.resize(blocks_.size());
    variable_of_block_.resize(blocks_.size());
    for (std::size_t b = 0; b < blocks_.size(); ++b) {
        const Block& block = blocks_[b];
        const std::uint32_t v = by_id ? *id(block.name) : static_cast<std::uint32_t>(b);
        variable_of_block_[b] = v;
        table_.variables[v] = {std::string(block.name), block.first_set, block.count};
    }
}

void Parser::resolve_codes() {
    variable_of_code_.resize(n_);
    std::iota(variable_of_code_.begin(), variable_of_code_.end(), 0u);
    for (std::size_t b = 0; b < blocks_.size(); ++b) {
        if (const auto value = id(blocks_[b].name)) {
            variable_of_code_[*value] = variable_of_block_[b];
        }
    }
    variable_of_code_.reserve(n_ + symbols_.size());
    for (const Symbol& s : symbols_) variable_of_code_.push_back(resolve(s));
}

std::uint32_t Parser::resolve(const Symbol& symbol) const {
    if (symbol.owner) return variable_of_block_[*symbol.owner];
    const auto value = whole_number(symbol.word);
    if (value && *value < n_) return static_cast<std::uint32_t>(*value);  // "07"
    const std::string lists =
        "variable " + shown(blocks_[symbol.block].name) + " lists parent " + shown(symbol.word);
    if (value) {
        throw Defect(symbol.line,
                     lists + ", but there are only " + std::to_string(n_) + " variables");
    }
    throw Defect(symbol.line, lists + ", which is not a variable of this file");
}

void Parser::finish_block(std::size_t b, std::span<const std::uint64_t> keys) {
    const Block& block = blocks_[b];
    const std::uint32_t v = variable_of_block_[b];
    VariableSets& variable = table_.variables[v];
    FlatMap<std::size_t> seen;  // sets by their keys
    seen.reserve(block.count);
    for (std::size_t i = block.first_set; i < block.first_set + block.count; ++i) {
        finish_set(block, v, i);
        std::uint64_t key = 0;
        for (const std::uint32_t parent : table_.set(i)) key += keys[parent];
        if (!seen.emplace(key, i)) {
            fail_at(block, i,
                    "lists the same set twice, first on line " +
                        std::to_string(line_of(block, *seen.find(key))));
        }
        if (table_.set(i).empty()) variable.has_empty = true;
        if (i > block.first_set && !table_.precedes(i - 1, i)) variable.sorted = false;
    }
}

/// Replaces the codes of one set by variables, ascending.
void Parser::finish_set(const Block& block, std::uint32_t variable, std::size_t set) {
    const auto first = table_.parents.begin() + static_cast<std::ptrdiff_t>(table_.starts[set]);
    const auto last = table_.parents.begin() + static_cast<std::ptrdiff_t>(table_.starts[set + 1]);
    for (auto parent = first; parent != last; ++parent) {
        *parent = variable_of_code_[*parent];
        if (*parent == variable) fail_at(block, set, "lists itself as a parent");
    }
    if (!std::is_sorted(first, last)) std::sort(first, last);
    if (const auto twice = std::adjacent_find(first, last); twice != last) {
        fail_at(block, set, "lists parent " + shown(table_.variables[*twice].name) + " twice");
    }
}

/// Only errors need the line of a set, so it is not stored but counted again.
std::size_t Parser::line_of(const Block& block, std::size_t set) const {
    Lines lines(block.text);
    for (std::size_t i = block.first_set; i <= set; ++i) lines.next();
    return block.line + lines.number() - 1;
}

}  // namespace

Table parse(std::string_view text) {
    constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";
    if (text.starts_with(byte_order_mark)) text.remove_prefix(byte_order_mark.size());
    return Parser(text).run();
}

}  // namespace forebear::jkl
