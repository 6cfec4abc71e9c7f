// The values of available.h for eight sets prefix + z at a time, whose z have the same number of
// states. For scores that are functions of a set (Shape::set_function), and tables of few cells.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "scoring/kernels.h"
#include "scoring/score.h"

namespace forebear {

class AvailableLanes {
public:
    explicit AvailableLanes(Score& score) : score_(score) {}

    /// Whether tables of these variables can be handled: their terms must be tabulated for all counts.
    bool takes(std::span<const int32_t> arities);
    /// The table to be filled, [cell][lane]; the first variable varies fastest.
    int32_t* table() { return margins_[0].data(); }
    /// Called when the table is filled: makes all sums.
    void sum();
    /// Adds a rival for the value of a child: the family without parent u, whose values are
    /// `smaller` (one per lane, or the same for all), and the gain of u.
    void begin(int child);
    void rival(int u, const int64_t* smaller, bool same_for_all);
    /// The values: the least of all rivals.
    const int64_t* values() const { return values_; }

    int64_t bytes() const;

private:
    size_t place(int a, int b) const;
    void sum_out(const std::vector<int32_t>& from, int axis, std::vector<int32_t>& to) const;
    void add_up(size_t place, int a, int b);
    double cells_without(int a, int b) const;

    Score& score_;
    std::vector<int32_t> arities_;
    std::vector<std::vector<int32_t>>
        margins_;                // by place: the table, and those without one or two
    std::vector<int64_t> sums_;  // [place][lane]
    struct Sums {
        const Term* term = nullptr;
        int64_t constant = 0;
    };
    std::vector<Sums> terms_;  // by number of cells
    int64_t counts_[kLanes] = {};
    double ratios_[kLanes] = {};
    int64_t gains_[kLanes] = {};  // of the whole set, for the child
    int64_t values_[kLanes] = {};
    int child_ = 0;
};

}  // namespace forebear
