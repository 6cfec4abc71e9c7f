#include "search/jobs.h"

#include <algorithm>
#include <utility>

#include "common/index.h"
#include "search/crossover.h"

namespace forebear {

namespace {

Individual result_of(const Climber& climber) {
    return {climber.score(),
            {climber.order().begin(), climber.order().end()},
            {climber.ranks().begin(), climber.ranks().end()}};
}

std::vector<int32_t> mutate(std::span<const int32_t> order, int swaps, Random& random) {
    std::vector<int32_t> mutant(order.begin(), order.end());
    const auto n = static_cast<int>(mutant.size());
    for (int i = 0; i < swaps; ++i) {
        const int a = random.below(n), b = random.below(n);
        std::swap(mutant[index(a)], mutant[index(b)]);
    }
    return mutant;
}

}  // namespace

Individual climb_order(Climber& climber, std::span<const int32_t> order, Random& random,
                       const Budget& budget) {
    climber.start(climber.sets().mended(order));
    climber.climb(random, budget);
    return result_of(climber);
}

Individual raise_child(Climber& climber, const ChildPolicy& policy, const Individual& parent,
                       const Individual* other, std::span<const int32_t> order, Random& random,
                       const Budget& budget) {
    const OrderSets& sets = climber.sets();
    std::vector<int32_t> start;
    if (!order.empty()) start.assign(order.begin(), order.end());
    else if (other) start = cross_networks(sets, parent, *other, random);
    else start = mutate(parent.order, policy.swaps, random);
    climber.start(sets.mended(start));
    climber.mark_changes(parent.ranks);
    climber.climb_marked(random, policy.window, budget);
    const auto new_score = [&] { return !other || climber.score() != other->score; };
    if (climber.score() > parent.score - policy.margin && climber.score() != parent.score &&
        new_score()) {
        climber.mark_touched();
        climber.climb_marked(random, sets.n(), budget);
        if (climber.score() > parent.score && new_score()) climber.climb(random, budget);
    }
    return result_of(climber);
}

Individual adapt(Climber& climber, std::span<const int32_t> order, std::span<const int32_t> ranks,
                 int window, Random& random, const Budget& budget) {
    climber.start(climber.sets().mended(order));
    climber.mark_changes(ranks);
    climber.climb_marked(random, window, budget);
    return result_of(climber);
}

}  // namespace forebear
