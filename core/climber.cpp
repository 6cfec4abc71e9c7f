#include "climber.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace forebear {

namespace {

constexpr int kScanAtOnce = 1024;  // ranks between two looks at the score

constexpr double kScanWorthwhile = 4000;  // a place where a set that fits is expected further down is in the head
constexpr int kMemoBits = 20;  // few variables have fewer sets of predecessors: n 2^n
constexpr int kFewCrossed = 8;  // past so many, a fresh look is cheaper than one update after another

size_t index(int i) { return static_cast<size_t>(i); }

int head_size(int n, int slots) {
    return std::clamp(static_cast<int>(std::ceil(n / std::pow(kScanWorthwhile, 1.0 / std::max(1, slots)))), 1, n);
}

}  // namespace

Climber::Climber(std::shared_ptr<const OrderSets> sets)
    : sets_(std::move(sets)),
      n_(sets_->n()),
      slots_(sets_->slots()),
      order_(index(n_)),
      place_(index(n_)),
      rank_(index(n_)),
      delta_(index(n_) * index(n_)),
      gain_rank_(index(n_) * index(n_), kNoRank),
      gains_(index(n_)),
      loss_rank_(index(n_) * index(slots_), kNoRank),
      deepest_(index(n_)),
      flags_(index(std::max(256, n_ + kFlagPadding)), kFine),
      affected_(index(n_)),
      head_(head_size(n_, slots_)),
      memo_(std::min(kMemoBits, n_ + 4)),
      head_keys_(index(head_)),
      is_marked_(index(n_)),
      is_touched_(index(n_)) {}

void Climber::start(std::span<const int32_t> order) {
    std::copy(order.begin(), order.end(), order_.begin());
    for (int i = 0; i < n_; ++i) place_[index(order_[index(i)])] = i;
    std::fill(delta_.begin(), delta_.end(), 0);
    for (int u = 0; u < n_; ++u) {
        for (const int32_t w : gains_[index(u)]) gain_rank_[at(u, w)] = kNoRank;
        gains_[index(u)].clear();
    }
    score_ = 0;
    std::fill(flags_.begin(), flags_.begin() + n_, kBarred);
    for (int i = 0; i < n_; ++i) {
        const int u = order_[index(i)];
        rank_[index(u)] = sets_->next_feasible(u, 0, sets_->count(u), flags_.data());
        score_ += sets_->ticks(u, rank_[index(u)]);
        flags_[index(u)] = kFine;
    }
    for (int u = 0; u < n_; ++u) refresh(u);
}

// ---- what is kept for one variable ----------------------------------------------

int Climber::parents_of(int u, int rank, int* parents) const {
    int count = 0;
    while (count < slots_ && (parents[count] = sets_->parent(u, count, rank)) >= 0) ++count;
    return count;
}

void Climber::flag_missing(int u, uint8_t flag) {
    const int own = place_[index(u)];
    sets_->flag_after(place_.data(), own, flag, flags_.data());
    flags_[index(u)] = kBarred;
}

void Climber::refresh(int u) {
    clear_gains(u);
    flag_missing(u, kWanted);
    find_gains(u, 0, rank_[index(u)], n_ - 1 - place_[index(u)], -1);
    find_losses(u, ~0u, rank_[index(u)] + 1);
}

void Climber::clear_gains(int u) {
    for (const int32_t w : gains_[index(u)]) {
        gain_rank_[at(u, w)] = kNoRank;
        delta_[at(w, u)] = 0;
    }
    gains_[index(u)].clear();
}

/// Notes, of every variable flagged kWanted, the best set of u that lacks just this one.
void Climber::find_gains(int u, int from, int end, int wanted, int must) {
    for (int rank = from; wanted > 0;) {
        rank = sets_->next_gain(u, rank, end, flags_.data(), must);
        if (rank >= end) return;
        for (int k = 0; k < slots_; ++k) {
            const int w = sets_->parent(u, k, rank);
            if (w < 0) break;
            if (flags_[index(w)] != kWanted) continue;
            note_gain(u, w, rank);
            flags_[index(w)] = kBarred;
            --wanted;
            break;
        }
        ++rank;
    }
}

void Climber::note_gain(int u, int w, int rank) {
    mark(w);
    int32_t& noted = gain_rank_[at(u, w)];
    if (noted == kNoRank) gains_[index(u)].push_back(w);
    noted = rank;
    delta_[at(w, u)] = sets_->ticks(u, rank) - sets_->ticks(u, rank_[index(u)]);
}

/// Finds what u falls to without each of its parents (of the slots in `which`).
void Climber::find_losses(int u, unsigned which, int from) {
    int parents[kMaxSlots];
    const int count = parents_of(u, rank_[index(u)], parents);
    if (count > 0 && (which & ((1u << count) - 1))) {
        flag_missing(u, kBarred);
        for (int slot = 0; slot < count; ++slot) {
            if (!(which >> slot & 1)) continue;
            flags_[index(parents[slot])] = kBarred;
            note_loss(u, slot, parents[slot], sets_->next_feasible(u, from, sets_->count(u), flags_.data()));
            flags_[index(parents[slot])] = kFine;
        }
    }
    bound_losses(u);
}

void Climber::note_loss(int u, int slot, int parent, int rank) {
    mark(parent);
    loss_rank_[index(u) * index(slots_) + index(slot)] = rank;
    delta_[at(parent, u)] = sets_->ticks(u, rank) - sets_->ticks(u, rank_[index(u)]);
}

void Climber::bound_losses(int u) {
    int parents[kMaxSlots];
    const int count = parents_of(u, rank_[index(u)], parents);
    int deepest = rank_[index(u)];
    for (int slot = 0; slot < count; ++slot) deepest = std::max(deepest, loss_rank_[index(u) * index(slots_) + index(slot)]);
    deepest_[index(u)] = deepest;
}

void Climber::set_rank(int u, int rank) {
    int parents[kMaxSlots];
    const int count = parents_of(u, rank_[index(u)], parents);
    for (int slot = 0; slot < count; ++slot) {
        delta_[at(parents[slot], u)] = 0;
        mark(parents[slot]);
    }
    mark(u);
    score_ += sets_->ticks(u, rank) - sets_->ticks(u, rank_[index(u)]);
    rank_[index(u)] = rank;
    refresh(u);
}

/// v precedes u no longer.
void Climber::left_behind(int u, int v) {
    const int first = sets_->first_with(v, u);
    if (first > deepest_[index(u)]) return;
    const int rank = rank_[index(u)];
    int parents[kMaxSlots];
    const int count = parents_of(u, rank, parents);
    for (int slot = 0; slot < count; ++slot)
        if (parents[slot] == v) {
            set_rank(u, loss_rank_[index(u) * index(slots_) + index(slot)]);
            return;
        }
    if (first < rank) {
        // Gains whose set holds v are gone: others may take their place, further down.
        int from = kNoRank;
        auto& gains = gains_[index(u)];
        lapsed_.clear();
        for (size_t i = 0; i < gains.size();) {
            const int w = gains[i];
            const int noted = gain_rank_[at(u, w)];
            if (!sets_->holds(u, noted, v)) {
                ++i;
                continue;
            }
            from = std::min(from, noted + 1);
            lapsed_.push_back(w);
            gain_rank_[at(u, w)] = kNoRank;
            delta_[at(w, u)] = 0;
            gains[i] = gains.back();
            gains.pop_back();
        }
        if (!lapsed_.empty()) {
            flag_missing(u, kBarred);
            for (const int32_t w : lapsed_) flags_[index(w)] = kWanted;
            find_gains(u, from, rank, static_cast<int>(lapsed_.size()), -1);
        }
    }
    unsigned which = 0;
    int from = kNoRank;
    for (int slot = 0; slot < count; ++slot) {
        const int fallback = loss_rank_[index(u) * index(slots_) + index(slot)];
        if (sets_->holds(u, fallback, v)) {
            which |= 1u << slot;
            from = std::min(from, fallback + 1);
        }
    }
    if (which) find_losses(u, which, from);
}

/// v precedes u now.
void Climber::joined(int u, int v) {
    const int first = sets_->first_with(v, u);
    if (first > deepest_[index(u)]) return;
    if (gain_rank_[at(u, v)] != kNoRank) {
        set_rank(u, gain_rank_[at(u, v)]);
        return;
    }
    const int rank = rank_[index(u)];
    if (first < rank) {
        // Sets with v that lacked two variables lack one now.
        flag_missing(u, kWanted);
        for (int r = first; (r = sets_->next_gain(u, r, rank, flags_.data(), v)) < rank; ++r)
            for (int k = 0; k < slots_; ++k) {
                const int w = sets_->parent(u, k, r);
                if (w < 0) break;
                if (flags_[index(w)] != kWanted) continue;
                if (gain_rank_[at(u, w)] > r) note_gain(u, w, r);
                flags_[index(w)] = kBarred;
                break;
            }
    }
    if (deepest_[index(u)] > rank) {
        int parents[kMaxSlots];
        const int count = parents_of(u, rank, parents);
        flag_missing(u, kBarred);
        for (int r = std::max(first, rank + 1); (r = sets_->next_feasible(u, r, deepest_[index(u)], flags_.data(), v)) < deepest_[index(u)]; ++r) {
            bool better = false;
            for (int slot = 0; slot < count; ++slot)
                if (loss_rank_[index(u) * index(slots_) + index(slot)] > r && !sets_->holds(u, r, parents[slot])) {
                    note_loss(u, slot, parents[slot], r);
                    better = true;
                }
            if (better) bound_losses(u);
        }
    }
}

// ---- moves ---------------------------------------------------------------------------

/// Finds v's best set as a function of its place, for places in [first_place, last_place]: the
/// steps of a staircase, best set and last place first. Ranks from `from` on; none below `lowest`.
void Climber::find_steps(int v, int first_place, int last_place, int from, int32_t lowest) {
    steps_.clear();
    const int own = place_[index(v)];
    // Where v could stand at the earliest if w must precede it: places past v move up when it leaves.
    const auto place_after = [&](int w) { return place_[index(w)] + (place_[index(w)] > own ? 0 : 1); };
    sets_->flag_after(place_.data(), last_place < own ? last_place - 1 : last_place, kBarred, flags_.data());
    flags_[index(v)] = kBarred;
    int open = last_place;  // sets must fit at this place or earlier
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
        // From here on only sets that fit earlier are of interest.
        for (int p = place - 1; p < open; ++p) {
            const int w = order_[index(p < own ? p : p + 1)];
            flags_[index(w)] = kBarred;
        }
        open = place - 1;
        rank = found + 1;
    }
}

/// v's best set if it stood at a place in the head, whose key is given; its rank is `from` or later.
int Climber::best_in_head(int v, int place, uint64_t key, int from) {
    int rank = memo_.find(key);
    if (rank >= 0) return rank;
    sets_->flag_after(place_.data(), place - 1, kBarred, flags_.data());
    rank = sets_->next_feasible(v, from, sets_->count(v), flags_.data());
    memo_.put(key, rank);
    return rank;
}

bool Climber::improve(int v, int window) {
    const int own = place_[index(v)];
    const int current_rank = rank_[index(v)];
    const int32_t current = sets_->ticks(v, current_rank);
    find_crossings(v, std::max(0, own - window), std::min(n_ - 1, own + window));
    const Reach reach = furthest_left(v);
    const int right = furthest_right(v, std::min(n_ - 1, own + window), current);
    if (reach.head == own && reach.left == own && right == own) return false;

    steps_.clear();
    if (reach.left < own || right > own) {
        const auto lowest = static_cast<int32_t>(std::clamp<int64_t>(current - reach.gain + 1, INT32_MIN, current));
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
    // To the right a move pays only where a better set begins to fit.
    size_t here = 0;  // the first step that holds at v's own place
    while (here < steps_.size() && steps_[here].place > own) ++here;
    size_t passed = 0;
    for (size_t step = here; step-- > 0;) {
        while (passed < losing_.size() && losing_[passed].place <= steps_[step].place) ++passed;
        consider(steps_[step].place, passed > 0 ? losing_[passed - 1].change : 0, steps_[step].rank);
    }
    // To the left, only where somebody more gains.
    size_t step = here, next = 0;
    for (; next < gaining_.size() && gaining_[next].place >= std::max(head_, reach.left); ++next) {
        while (step < steps_.size() && steps_[step].place > gaining_[next].place) ++step;
        if (step < steps_.size()) consider(gaining_[next].place, gaining_[next].change, steps_[step].rank);
    }
    // The first places: their best sets are remembered, and sought only where they might be worth it.
    if (reach.head < own) {
        find_head_keys(v);
        int rank = current_rank;
        for (; next < gaining_.size() && gaining_[next].place >= reach.head; ++next) {
            const Crossing& crossing = gaining_[next];
            if (crossing.place >= head_ || crossing.change + sets_->ticks(v, rank) - current <= best) continue;
            rank = best_in_head(v, crossing.place, head_keys_[index(crossing.place)], rank);
            consider(crossing.place, crossing.change, rank);
        }
    }
    if (best_place == own) return false;
    move(v, best_place, best_rank);
    return true;
}

/// Finds the variables whose choice changes when v passes them, by their places, and adds up the changes.
void Climber::find_crossings(int v, int first_place, int last_place) {
    const int own = place_[index(v)];
    const int32_t* delta = delta_.data() + at(v, 0);
    gaining_.clear();
    losing_.clear();
    const int count = sets_->nonzeros(delta, affected_.data());
    if (count > n_ / 8) {  // so many that they are put in order by going from place to place
        for (int place = own - 1; place >= first_place; --place)
            if (const int32_t change = delta[order_[index(place)]]) gaining_.push_back({place, change});
        for (int place = own + 1; place <= last_place; ++place)
            if (const int32_t change = delta[order_[index(place)]]) losing_.push_back({place, change});
    } else {
        for (int i = 0; i < count; ++i) {
            const int u = affected_[index(i)], place = place_[index(u)];
            if (place >= first_place && place <= last_place) (place < own ? gaining_ : losing_).push_back({place, delta[u]});
        }
        std::sort(gaining_.begin(), gaining_.end(), [](const Crossing& a, const Crossing& b) { return a.place > b.place; });
        std::sort(losing_.begin(), losing_.end(), [](const Crossing& a, const Crossing& b) { return a.place < b.place; });
    }
    for (auto* crossings : {&gaining_, &losing_})
        for (size_t i = 1; i < crossings->size(); ++i) (*crossings)[i].change += (*crossings)[i - 1].change;
}

/// How far to the left v may gain: others gain on the way, v pays at least for the costliest parent
/// it passes.
Climber::Reach Climber::furthest_left(int v) const {
    const int own = place_[index(v)];
    int parents[kMaxSlots];
    const int n_parents = parents_of(v, rank_[index(v)], parents);
    Reach reach{own, own, 0};
    for (const Crossing& crossing : gaining_) {
        int64_t price = 0;
        for (int i = 0; i < n_parents; ++i)
            if (place_[index(parents[i])] >= crossing.place) price = std::max<int64_t>(price, -delta_[at(parents[i], v)]);
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

/// How far to the right v may gain: others lose on the way, v gains at most what its best set gives.
int Climber::furthest_right(int v, int right_most, int32_t current) const {
    if (current == 0) return place_[index(v)];
    for (const Crossing& crossing : losing_)
        if (crossing.change <= current) return crossing.place - 1;
    return right_most;
}

void Climber::find_head_keys(int v) {
    uint64_t key = PrefixMemo::key_of_child(v);
    for (int place = 0; place < std::min(head_, place_[index(v)]); ++place) {
        head_keys_[index(place)] = key;
        key ^= PrefixMemo::key_of(order_[index(place)]);
    }
}

/// Moves v to a place where its best set is of that rank.
void Climber::move(int v, int place, int rank) {
    const int own = place_[index(v)];
    shift(v, place);
    if (rank != rank_[index(v)]) set_rank(v, rank);
    else if (std::abs(place - own) > kFewCrossed) refresh(v);
    else if (place > own)
        for (int p = own; p < place; ++p) joined(v, order_[index(p)]);
    else
        for (int p = place + 1; p <= own; ++p) left_behind(v, order_[index(p)]);
}

void Climber::shift(int v, int place) {
    mark(v);
    ++moves_;
    const int own = place_[index(v)];
    const int32_t* first = sets_->first_with_row(v);
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
        if (direction > 0) left_behind(u, v);
        else joined(u, v);
    }
}

int64_t Climber::insert_delta(int v, int place) {
    const int own = place_[index(v)];
    int64_t change = 0;
    for (int p = std::min(own, place); p <= std::max(own, place); ++p)
        if (p != own) change += delta_[at(v, order_[index(p)])];
    find_steps(v, place, place, 0, INT32_MIN);
    return change + steps_.back().ticks - sets_->ticks(v, rank_[index(v)]);
}

void Climber::insert(int v, int place) {
    if (place == place_[index(v)]) return;
    find_steps(v, place, place, 0, INT32_MIN);
    move(v, place, steps_.back().rank);
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
            const int count = parents_of(u, rank, parents);
            for (int slot = 0; slot < count; ++slot) mark(parents[slot]);
        }
    }
}

void Climber::mark_touched() {
    for (size_t i = 0; i < touched_.size(); ++i) mark(touched_[i]);
}

void Climber::climb_marked(Random& random, int window, const Budget& budget) {
    while (!marked_.empty() && !budget.spent()) {
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
    for (int idle = 0, turn = 0; idle < n_ && !budget.spent(); turn = (turn + 1) % n_)
        idle = improve(turns[index(turn)], n_) ? 0 : idle + 1;
    unmark_all();
}

}  // namespace forebear
