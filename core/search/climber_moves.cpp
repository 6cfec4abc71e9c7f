// Moves of single variables, and the climb.
#include <algorithm>
#include <functional>
#include <numeric>

#include "common/index.h"
#include "search/climber.h"

namespace forebear {

namespace {

// Ranks per scan. A list is scanned in pieces, so that the scan stops once scores are too low.
constexpr int kScanAtOnce = 1024;
// If a move passes more variables, computing the deltas of v again is faster than updating them.
constexpr int kFewCrossed = 8;

}  // namespace

/// Finds the best set of v for every place in [first_place, last_place], as the steps of a
/// staircase: the best set first, which fits only at late places. Considers ranks from `from` on,
/// with at least `lowest` ticks.
void Climber::find_steps(int v, int first_place, int last_place, int from, int32_t lowest) {
    steps_.clear();
    const int own = place_[index(v)];
    // The first place of v at which w precedes it. Variables after v move up by one when it leaves.
    const auto place_after = [&](int w) {
        return place_[index(w)] + (place_[index(w)] > own ? 0 : 1);
    };
    sets_->flag_after(place_.data(), last_place < own ? last_place - 1 : last_place, kBarred,
                      flags_.data());
    flags_[index(v)] = kBarred;
    int open = last_place;  // the next set must fit at this place
    int rank = from;
    while (rank < sets_->count(v) && sets_->ticks(v, rank) >= lowest) {
        const int end = std::min(sets_->count(v), rank + kScanAtOnce);
        const int found = sets_->next_feasible(v, rank, end, flags_.data());
        if (found == end) {
            rank = end;
            continue;
        }
        const int32_t ticks = sets_->ticks(v, found);
        if (ticks < lowest) return;
        int place = 0;
        for (int k = 0; k < slots_; ++k) {
            const int w = sets_->parent(v, k, found);
            if (w < 0) break;
            place = std::max(place, place_after(w));
        }
        steps_.push_back({place, ticks, found});
        if (place <= first_place) return;
        // From here on only sets that fit at an earlier place matter.
        for (int p = place - 1; p < open; ++p) {
            const int w = order_[index(p < own ? p : p + 1)];
            flags_[index(w)] = kBarred;
        }
        open = place - 1;
        rank = found + 1;
    }
}

/// The best set of v at a place in the head with that key. Its rank is at least `from`.
int Climber::best_in_head(int v, int place, uint64_t key, int from) {
    int rank = cache_.find(key);
    if (rank >= 0) return rank;
    sets_->flag_after(place_.data(), place - 1, kBarred, flags_.data());
    rank = sets_->next_feasible(v, from, sets_->count(v), flags_.data());
    cache_.put(key, rank);
    return rank;
}

bool Climber::improve(int v, int window) {
    const int own = place_[index(v)];
    const int current_rank = rank_[index(v)];
    const int32_t current = sets_->ticks(v, current_rank);
    int first_place = std::max(0, own - window), last_place = std::min(n_ - 1, own + window);
    if (sets_->has_orders()) {
        for (const int32_t u : sets_->earlier(v))
            first_place = std::max(first_place, std::min(own, place_[index(u)] + 1));
        for (const int32_t u : sets_->later(v))
            last_place = std::min(last_place, std::max(own, place_[index(u)] - 1));
    }
    find_crossings(v, first_place, last_place);
    const Reach reach = furthest_left(v);
    const int right = furthest_right(v, last_place, current);
    if (reach.head == own && reach.left == own && right == own) return false;

    steps_.clear();
    if (reach.left < own || right > own) {
        const auto lowest =
            static_cast<int32_t>(std::clamp<int64_t>(current - reach.gain + 1, INT32_MIN, current));
        find_steps(v, reach.left, right, right > own ? 0 : current_rank, lowest);
    }
    int64_t best = 0;
    int best_place = own, best_rank = current_rank;
    const auto consider = [&](int place, int64_t change, int rank) {
        const int64_t value = change + sets_->ticks(v, rank) - current;
        if (value <= best) return;
        best = value;
        best_place = place;
        best_rank = rank;
    };
    // To the right, only places where a better set begins to fit can improve.
    size_t here = 0;  // the first step that fits at the place of v
    while (here < steps_.size() && steps_[here].place > own) ++here;
    size_t passed = 0;
    for (size_t step = here; step-- > 0;) {
        while (passed < losing_.size() && losing_[passed].place <= steps_[step].place) ++passed;
        consider(steps_[step].place, passed > 0 ? losing_[passed - 1].change : 0,
                 steps_[step].rank);
    }
    // To the left, only places where one more variable gains can improve.
    size_t step = here, next = 0;
    for (; next < gaining_.size() && gaining_[next].place >= std::max(head_, reach.left); ++next) {
        while (step < steps_.size() && steps_[step].place > gaining_[next].place) ++step;
        if (step < steps_.size())
            consider(gaining_[next].place, gaining_[next].change, steps_[step].rank);
    }
    // In the head best sets are cached, and looked up only where the move may improve.
    if (reach.head < own) {
        find_head_keys(v);
        int rank = current_rank;
        for (; next < gaining_.size() && gaining_[next].place >= reach.head; ++next) {
            const Crossing& crossing = gaining_[next];
            if (crossing.place >= head_ ||
                crossing.change + sets_->ticks(v, rank) - current <= best)
                continue;
            rank = best_in_head(v, crossing.place, head_keys_[index(crossing.place)], rank);
            consider(crossing.place, crossing.change, rank);
        }
    }
    if (best_place == own) return false;
    move(v, best_place, best_rank);
    return true;
}

/// Finds the variables whose best set changes when v passes them, and the sums of the changes.
void Climber::find_crossings(int v, int first_place, int last_place) {
    const int own = place_[index(v)];
    gaining_.clear();
    losing_.clear();
    const auto note = [&](int u, int32_t change) {
        const int place = place_[index(u)];
        if (place >= first_place && place <= last_place)
            (place < own ? gaining_ : losing_).push_back({place, change});
    };
    if (delta_.is_square()) {
        const int32_t* const delta = delta_.row(v);
        const int count = sets_->nonzeros(delta, affected_.data());
        for (int i = 0; i < count; ++i) note(affected_[index(i)], delta[affected_[index(i)]]);
    } else {
        for (const Pairs::Entry& entry : delta_.entries(v)) note(entry.column, entry.value);
    }
    std::ranges::sort(gaining_, std::greater(), &Crossing::place);
    std::ranges::sort(losing_, std::less(), &Crossing::place);
    for (auto* crossings : {&gaining_, &losing_})
        for (size_t i = 1; i < crossings->size(); ++i)
            (*crossings)[i].change += (*crossings)[i - 1].change;
}

/// How far to the left a move of v may improve: the others gain, and v loses at least the score of
/// the most important parent that it passes.
Climber::Reach Climber::furthest_left(int v) const {
    const int own = place_[index(v)];
    int parents[kMaxSlots];
    const int n_parents = sets_->parents(v, rank_[index(v)], parents);
    Reach reach{own, own, 0};
    for (const Crossing& crossing : gaining_) {
        int64_t price = 0;
        for (int i = 0; i < n_parents; ++i)
            if (place_[index(parents[i])] >= crossing.place)
                price = std::max<int64_t>(price, -delta_.get(parents[i], v));
        if (crossing.change <= price) continue;
        if (crossing.place < head_) {
            reach.head = crossing.place;
        } else {
            reach.left = crossing.place;
            reach.gain = crossing.change;
        }
    }
    return reach;
}

/// How far to the right a move of v may improve: the others lose, and v gains at most the
/// difference to its best set.
int Climber::furthest_right(int v, int right_most, int32_t current) const {
    if (current == 0) return place_[index(v)];
    for (const Crossing& crossing : losing_)
        if (crossing.change <= current) return crossing.place - 1;
    return right_most;
}

void Climber::find_head_keys(int v) {
    uint64_t key = PrefixCache::key_of_child(v);
    for (int place = 0; place < std::min(head_, place_[index(v)]); ++place) {
        head_keys_[index(place)] = key;
        key ^= PrefixCache::key_of(order_[index(place)]);
    }
}

/// Moves v to a place where its best set has that rank.
void Climber::move(int v, int place, int rank) {
    const int own = place_[index(v)];
    shift(v, place);
    if (rank != rank_[index(v)]) set_rank(v, rank);
    else if (std::abs(place - own) > kFewCrossed) refresh(v);
    else if (place > own)
        for (int p = own; p < place; ++p) add_predecessor(v, order_[index(p)]);
    else
        for (int p = place + 1; p <= own; ++p) remove_predecessor(v, order_[index(p)]);
}

void Climber::shift(int v, int place) {
    mark(v);
    const int own = place_[index(v)];
    const int32_t* first = fill_first_row(v);
    const int direction = place > own ? 1 : -1;
    for (int p = own; p != place; p += direction) {
        const int u = order_[index(p + direction)];
        order_[index(p)] = u;
        place_[index(u)] = p;
    }
    order_[index(place)] = v;
    place_[index(v)] = place;
    for (int p = own; p != place; p += direction) {
        const int u = order_[index(p)];
        if (first[u] > deepest_[index(u)]) continue;
        mark(u);
        if (direction > 0) remove_predecessor(u, v);
        else add_predecessor(u, v);
    }
    clear_first_row(v);
}

/// The first rank of a set with v, by child.
const int32_t* Climber::fill_first_row(int v) {
    const Pairs& first = sets_->first_with();
    if (first.is_square()) return first.row(v);
    for (const Pairs::Entry& entry : first.entries(v))
        first_row_[index(entry.column)] = entry.value;
    return first_row_.data();
}

void Climber::clear_first_row(int v) {
    if (sets_->first_with().is_square()) return;
    for (const Pairs::Entry& entry : sets_->first_with().entries(v))
        first_row_[index(entry.column)] = kNoRank;
}

// ---- climbing ------------------------------------------------------------------------

void Climber::mark(int v) {
    if (!is_marked_[index(v)]) {
        is_marked_[index(v)] = 1;
        marked_.push_back(v);
    }
    if (!is_touched_[index(v)]) {
        is_touched_[index(v)] = 1;
        touched_.push_back(v);
    }
}

void Climber::unmark_all() {
    for (const int32_t v : marked_) is_marked_[index(v)] = 0;
    for (const int32_t v : touched_) is_touched_[index(v)] = 0;
    marked_.clear();
    touched_.clear();
}

void Climber::mark_changes(std::span<const int32_t> ranks) {
    unmark_all();
    int parents[kMaxSlots];
    for (int u = 0; u < n_; ++u) {
        if (rank_[index(u)] == ranks[index(u)]) continue;
        mark(u);
        for (const int rank : {rank_[index(u)], ranks[index(u)]}) {
            const int count = sets_->parents(u, rank, parents);
            for (int slot = 0; slot < count; ++slot) mark(parents[slot]);
        }
    }
}

void Climber::mark_touched() {
    for (size_t i = 0; i < touched_.size(); ++i) mark(touched_[i]);
}

void Climber::climb_marked(Random& random, int window, const Budget& budget) {
    BudgetOfSteps steps(budget);
    while (!marked_.empty() && !steps.spent()) {
        const auto pick = index(random.below(static_cast<int>(marked_.size())));
        const int v = marked_[pick];
        marked_[pick] = marked_.back();
        marked_.pop_back();
        is_marked_[index(v)] = 0;
        improve(v, window);
    }
}

void Climber::climb(Random& random, const Budget& budget) {
    std::vector<int32_t> turns(index(n_));
    std::iota(turns.begin(), turns.end(), 0);
    shuffle(turns, random);
    BudgetOfSteps steps(budget);
    for (int idle = 0, turn = 0; idle < n_ && !steps.spent(); turn = (turn + 1) % n_)
        idle = improve(turns[index(turn)], n_) ? 0 : idle + 1;
    unmark_all();
}

}  // namespace forebear
