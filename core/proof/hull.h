// Decides whether a point is a mixture of acyclic choices; if not, finds an inequality that separates
// it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "common/index.h"
#include "common/lattice.h"

namespace forebear {

/// For each variable of a small group and each subset of the group: the value of the variable if its
/// parents in the group are that subset. More parents never have a smaller value.
template <class Value>
class GroupTable {
public:
    explicit GroupTable(int size)
        : size_(size), values_(index(size) << size, Value{0}), best_(subsets()) {}

    int size() const { return size_; }
    size_t subsets() const { return size_t{1} << size_; }
    Value& at(int v, size_t parents) { return values_[(index(v) << size_) + parents]; }
    Value at(int v, size_t parents) const { return values_[(index(v) << size_) + parents]; }
    const std::vector<Value>& values() const { return values_; }
    void clear() { std::fill(values_.begin(), values_.end(), Value{0}); }

    /// Gives each subset the largest value of its own subsets.
    void close_upwards() {
        for (int v = 0; v < size_; ++v) raise_to_subsets(&at(v, 0), size_);
    }
    /// For each subset, the largest value of its variables if their parents are within it: some
    /// variable comes last, after the others.
    const std::vector<Value>& forward() {
        std::fill(best_.begin(), best_.end(), std::numeric_limits<Value>::lowest() / 4);
        best_[0] = 0;
        raise_by_last(values_.data(), size_, best_.data());
        return best_;
    }
    /// What `forward` returned.
    const std::vector<Value>& best() const { return best_; }
    /// For each subset, the largest value of the other variables if they come after it.
    std::vector<Value> backward() const {
        std::vector<Value> best(subsets(), Value{0});
        for (size_t s = subsets() - 1; s-- > 0;) {
            bool first = true;
            for (int v = 0; v < size_; ++v)
                if (!(s >> v & 1)) {
                    const Value value = best[s | size_t{1} << v] + at(v, s);
                    if (first || value > best[s]) best[s] = value;
                    first = false;
                }
        }
        return best;
    }

private:
    int size_;
    std::vector<Value> values_;
    std::vector<Value> best_;
};

/// The weight with which a variable of a group has these parents, a nonempty subset of the group.
struct GroupChoice {
    int variable;
    size_t parents;
    double weight;
};

/// Finds coefficients in [0, 1], one per choice, whose weighted sum exceeds that of any acyclic
/// combination of choices by as much as possible. Empty if that is less than `violated`.
std::vector<double> separate_from_hull(int size, const std::vector<GroupChoice>& choices,
                                       double violated);

}  // namespace forebear
