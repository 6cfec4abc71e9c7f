// Tables over the subsets of a few variables, indexed by bit mask.
#pragma once

#include <cstddef>
#include <cstdint>

namespace forebear {

/// Raises the value of each of 2^size subsets to the largest value of its own subsets.
void raise_to_subsets(double* table, int size);
void raise_to_subsets(int64_t* table, int size);

/// Raises the value of each subset to the largest sum, over its variables as the last one, of the
/// value of the other variables and that of the last variable given the others. `tables` has one
/// table per last variable, indexed by the others.
void raise_by_last(const double* tables, int size, double* best);
void raise_by_last(const int64_t* tables, int size, int64_t* best);

}  // namespace forebear
