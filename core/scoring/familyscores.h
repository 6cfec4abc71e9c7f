// The scores of all tables that families are scored on.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "scoring/score.h"
#include "scoring/table.h"

namespace forebear {

/// The score of each table that families are scored on (PackedTable::at), in the same order.
class FamilyScores {
public:
    FamilyScores(const PackedTable& packed, const ScoreOptions& options, int max_parents,
                 std::atomic<int64_t>& bytes)
        : packed_(packed) {
        for (size_t place = 0; place < packed.n_tables(); ++place)
            scores_.push_back(
                std::make_unique<Score>(options, packed.at(place), max_parents, bytes));
    }

    Score& at(size_t place) const { return *scores_[place]; }
    /// The score of the families of a child.
    Score& of(int child) const { return at(packed_.place_of(child)); }

private:
    const PackedTable& packed_;
    std::vector<std::unique_ptr<Score>> scores_;
};

}  // namespace forebear
