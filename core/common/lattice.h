// Tables over the subsets of a few variables, by bit mask.
#pragma once

#include <cstddef>
#include <cstdint>

namespace forebear {

/// Gives each of 2^size subsets the largest value of its own subsets.
void raise_to_subsets(double* table, int size);
void raise_to_subsets(int64_t* table, int size);

/// Raises the value of each subset to the largest that it has if one of its variables comes last,
/// after the others: the value of the others, and that of the variable given them. `tables` has one
/// table by these others per variable.
void raise_by_last(const double* tables, int size, double* best);
void raise_by_last(const int64_t* tables, int size, int64_t* best);

}  // namespace forebear
