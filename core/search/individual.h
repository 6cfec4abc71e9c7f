// A member of a population.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace forebear {

/// An order and the sets that it gives its variables. The score is in ticks below the sum of the
/// best sets: an integer, so that equal networks compare equal.
struct Individual : std::enable_shared_from_this<Individual> {
    Individual(int64_t score, std::vector<int32_t> order, std::vector<int32_t> ranks)
        : score(score), order(std::move(order)), ranks(std::move(ranks)) {}
    int64_t score;
    std::vector<int32_t> order, ranks;
};

using IndividualPtr = std::shared_ptr<Individual>;

}  // namespace forebear
