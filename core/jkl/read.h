// Reads .jkl text into a table of parent sets.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace forebear::jkl {

/// The sets of one variable: a range of the sets of a Table.
struct VariableSets {
    std::string name;
    std::size_t first = 0;
    std::size_t count = 0;
    bool has_empty = false;
    bool sorted = true;
};

/// All parent sets of a file, checked, in the order of the file. Parents are numbers of variables,
/// ascending within each set.
class Table {
public:
    std::vector<VariableSets> variables;
    std::vector<double> scores;
    std::vector<std::size_t> starts{0};  // the parents of set i are at [starts[i], starts[i + 1])
    std::vector<std::uint32_t> parents;

    /// The number of sets that fill() writes: those of the file, and the empty set of each variable
    /// that lacks it.
    std::size_t n_sets() const;

    /// The number of parents of the largest set.
    std::size_t max_parents() const;

    std::span<const std::uint32_t> set(std::size_t i) const {
        return {parents.data() + starts[i], starts[i + 1] - starts[i]};
    }

    /// Best first; ties: the smaller set, then the lexicographically smaller.
    bool precedes(std::size_t a, std::size_t b) const;

    /// Writes everything to flat arrays as in ParentSetsView, best first, with n_sets() sets and
    /// max_parents() slots.
    template <class Index>
    void fill(std::int64_t* offsets, double* scores_out, Index* parents_out) const;

private:
    void rank(const VariableSets& variable, std::vector<std::size_t>& order) const;
};

/// Reads a whole file. Throws Defect if anything is wrong with it.
Table parse(std::string_view text);

}  // namespace forebear::jkl
