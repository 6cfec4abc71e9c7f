// Ranks the records of all variables on several threads.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "common/parallel.h"
#include "scoring/records.h"

namespace forebear {

/// The lists that threads have filled: by thread, then by variable.
using Lists = std::vector<std::vector<RecordList>>;

/// The number of records of a variable.
int64_t count_records(const Lists& lists, int variable);

/// A range of the ranked sets of one variable.
struct Slice {
    int variable = 0;
    int number = 0;              ///< among the slices of the variable
    int64_t begin = 0, end = 0;  ///< ranks, from 0
    int64_t size() const { return end - begin; }
};

using WriteSlice = std::function<void(const Slice& slice, const Record* ranked)>;

/// Ranks the records of every variable and empties the lists. Each slice is given to `write` by the
/// thread that ranked it. Variables with more records than the others are cut into slices, so that
/// all threads have about the same work.
void rank_lists(Lists& lists, int n_variables, Team& team, const WriteSlice& write);

}  // namespace forebear
