#include "jkl/write.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <stdexcept>

#include "common/decimals.h"

namespace forebear::jkl {

namespace {

constexpr double not_allowed = -std::numeric_limits<double>::infinity();

/// 17 significant digits, which read back as the same double.
void append_score(std::string& out, double score) {
    char digits[kMostDigits];
    out.append(digits, write_double(digits, score));
}

void append_count(std::string& out, std::size_t count) {
    char digits[24];
    out.append(digits, std::to_chars(digits, digits + sizeof digits, count).ptr);
}

template <class Index>
void append_opening(std::string& out, const NamedSets<Index>& named, std::size_t variable) {
    const auto own = named.sets.scores.subspan(
        static_cast<std::size_t>(named.sets.offsets[variable]),
        static_cast<std::size_t>(named.sets.offsets[variable + 1] - named.sets.offsets[variable]));
    const auto left_out = std::ranges::count(own, not_allowed);
    const std::size_t count = own.size() - static_cast<std::size_t>(left_out);
    // A count of 0 would be read back as "the empty set, score 0".
    if (count == 0) {
        throw std::invalid_argument("variable " + named.names[variable] +
                                    " has no set with a finite score");
    }
    out += named.names[variable];
    out += ' ';
    append_count(out, count);
    out += '\n';
}

template <class Index>
void append_set(std::string& out, const NamedSets<Index>& named, std::size_t i) {
    const auto parent = [&](std::size_t slot) {
        return named.sets.parent(static_cast<int>(slot), static_cast<std::int64_t>(i));
    };
    std::size_t size = 0;
    while (size < static_cast<std::size_t>(named.sets.slots) && parent(size) != named.sets.kNone)
        ++size;
    append_score(out, named.sets.scores[i]);
    out += ' ';
    append_count(out, size);
    for (std::size_t slot = 0; slot < size; ++slot) {
        out += ' ';
        out += named.names[parent(slot)];
    }
    out += '\n';
}

}  // namespace

template <class Index>
std::string format(const NamedSets<Index>& named, std::size_t begin, std::size_t end) {
    const auto& offsets = named.sets.offsets;
    const auto next = std::ranges::upper_bound(offsets, static_cast<std::int64_t>(begin));
    auto variable = static_cast<std::size_t>(next - offsets.begin()) - 1;
    std::string out;
    for (std::size_t i = begin; i < end; ++i) {
        if (i == static_cast<std::size_t>(offsets[variable + 1])) ++variable;
        if (i == static_cast<std::size_t>(offsets[variable])) append_opening(out, named, variable);
        if (named.sets.scores[i] != not_allowed) append_set(out, named, i);
    }
    return out;
}

template std::string format(const NamedSets<std::uint16_t>&, std::size_t, std::size_t);
template std::string format(const NamedSets<std::uint32_t>&, std::size_t, std::size_t);

}  // namespace forebear::jkl
