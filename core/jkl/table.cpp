// Ranks the sets of a file and writes them to flat arrays.
#include <algorithm>
#include <limits>
#include <numeric>

#include "jkl/read.h"

namespace forebear::jkl {

std::size_t Table::n_sets() const {
    const auto lacking = std::count_if(variables.begin(), variables.end(),
                                       [](const VariableSets& v) { return !v.has_empty; });
    return scores.size() + static_cast<std::size_t>(lacking);
}

std::size_t Table::max_parents() const {
    std::size_t most = 0;
    for (std::size_t i = 0; i < scores.size(); ++i) most = std::max(most, set(i).size());
    return most;
}

bool Table::precedes(std::size_t a, std::size_t b) const {
    if (scores[a] != scores[b]) return scores[a] > scores[b];
    const auto left = set(a);
    const auto right = set(b);
    if (left.size() != right.size()) return left.size() < right.size();
    return std::lexicographical_compare(left.begin(), left.end(), right.begin(), right.end());
}

void Table::rank(const VariableSets& variable, std::vector<std::size_t>& order) const {
    order.resize(variable.count);
    std::iota(order.begin(), order.end(), variable.first);
    if (variable.sorted) return;
    std::sort(order.begin(), order.end(),
              [this](std::size_t a, std::size_t b) { return precedes(a, b); });
}

template <class Index>
void Table::fill(std::int64_t* offsets, double* scores_out, Index* parents_out) const {
    constexpr Index none = std::numeric_limits<Index>::max();
    const std::size_t total = n_sets();
    const std::size_t slots = max_parents();
    std::vector<std::size_t> order;
    std::size_t column = 0;
    *offsets++ = 0;
    for (const VariableSets& variable : variables) {
        rank(variable, order);
        for (const std::size_t i : order) {
            const auto members = set(i);
            scores_out[column] = scores[i];
            for (std::size_t slot = 0; slot < slots; ++slot) {
                parents_out[slot * total + column] =
                    slot < members.size() ? static_cast<Index>(members[slot]) : none;
            }
            ++column;
        }
        if (!variable.has_empty) {
            // Without any sets, the empty set is all there is, with score 0. Beside others, an
            // empty set that is not listed is not allowed.
            scores_out[column] =
                variable.count == 0 ? 0.0 : -std::numeric_limits<double>::infinity();
            for (std::size_t slot = 0; slot < slots; ++slot) {
                parents_out[slot * total + column] = none;
            }
            ++column;
        }
        *offsets++ = static_cast<std::int64_t>(column);
    }
}

template void Table::fill(std::int64_t*, double*, std::uint16_t*) const;
template void Table::fill(std::int64_t*, double*, std::uint32_t*) const;

}  // namespace forebear::jkl
