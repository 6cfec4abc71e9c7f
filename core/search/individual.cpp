#include "search/individual.h"

#include "search/crossover.h"

namespace forebear {

namespace {

Individual result_of(const Climber& climber) {
    return {climber.score(),
            {climber.order().begin(), climber.order().end()},
            {climber.ranks().begin(), climber.ranks().end()}};
}

}  // namespace

Individual climb_order(Climber& climber, std::span<const int32_t> order, Random& random,
                       const Budget& budget) {
    climber.start(climber.sets().repair_order(order));
    climber.climb(random, budget);
    return result_of(climber);
}

Individual climb_child(Climber& climber, const ChildPolicy& policy, const Individual& parent,
                       const Individual* other, Random& random, const Budget& budget) {
    const OrderSets& sets = climber.sets();
    const std::vector<int32_t> start = other ? cross_networks(sets, parent, *other, random)
                                             : swap_pairs(parent.order, policy.swaps, random);
    climber.start(sets.repair_order(start));
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
    climber.start(climber.sets().repair_order(order));
    climber.mark_changes(ranks);
    climber.climb_marked(random, window, budget);
    return result_of(climber);
}

}  // namespace forebear
