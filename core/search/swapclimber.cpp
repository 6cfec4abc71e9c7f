#include "search/swapclimber.h"

#include <algorithm>

#include "common/index.h"
#include "search/selection.h"

namespace forebear {

SwapClimber::SwapClimber(std::shared_ptr<const OrderSets> sets, int tabu_length, int patience)
    : sets_(std::move(sets)),
      n_(sets_->n()),
      patience_(patience),
      order_(index(n_)),
      place_(index(n_)),
      rank_(index(n_)),
      swaps_(index(n_ - 1)),
      tabu_(tabu_length),
      flags_(make_flags(*sets_)) {}

void SwapClimber::start(std::span<const int32_t> order) {
    std::copy(order.begin(), order.end(), order_.begin());
    for (int i = 0; i < n_; ++i) place_[index(order_[index(i)])] = i;
    score_ = best_score_ = best_sets(*sets_, order_, rank_);
    best_order_ = order_;
    idle_ = 0;
    tabu_.clear();
    for (int i = 0; i + 1 < n_; ++i) evaluate(i);
}

/// Finds the best sets of the variables at a place and the next if they were swapped.
void SwapClimber::evaluate(int place) {
    const int x = order_[index(place)], y = order_[index(place + 1)];
    const int x_rank = rank_[index(x)], y_rank = rank_[index(y)];
    Swap& swap = swaps_[index(place)];
    sets_->flag_after(place_.data(), place - 1, kBarred, flags_.data());
    // x may no longer be a parent of y. This matters only if it is one.
    swap.second = sets_->holds(y, y_rank, x)
                      ? sets_->next_feasible(y, y_rank + 1, sets_->count(y), flags_.data())
                      : y_rank;
    // y may now be a parent of x. Only a set with y can be better.
    flags_[index(y)] = kFine;
    const int first = sets_->first_with(y, x);
    swap.first = first < x_rank ? sets_->next_feasible(x, first, x_rank, flags_.data(), y) : x_rank;
    const auto ticks = [&](int v, int rank) { return static_cast<int64_t>(sets_->ticks(v, rank)); };
    swap.delta = ticks(x, swap.first) - ticks(x, x_rank) + ticks(y, swap.second) - ticks(y, y_rank);
}

/// Swaps the variables at a place and the next.
void SwapClimber::swap(int place) {
    const Swap change = swaps_[index(place)];
    int32_t &x = order_[index(place)], &y = order_[index(place + 1)];
    tabu_.add(x, y);
    rank_[index(x)] = change.first;
    rank_[index(y)] = change.second;
    std::swap(place_[index(x)], place_[index(y)]);
    std::swap(x, y);
    score_ += change.delta;
    for (int i = std::max(0, place - 1); i <= std::min(n_ - 2, place + 1); ++i) evaluate(i);
}

/// The best swap that is not tabu, or leads to a new best; -1 if there is none.
int SwapClimber::best_swap() const {
    int best = -1;
    for (int i = 0; i + 1 < n_; ++i) {
        const int64_t delta = swaps_[index(i)].delta;
        if (best >= 0 && delta <= swaps_[index(best)].delta) continue;
        if (score_ + delta > best_score_ || !tabu_.holds(order_[index(i)], order_[index(i + 1)]))
            best = i;
    }
    return best;
}

bool SwapClimber::climb(int steps) {
    for (; steps > 0; --steps) {
        const int place = best_swap();
        if (place < 0 || (swaps_[index(place)].delta <= 0 && idle_ >= patience_)) return true;
        swap(place);
        ++idle_;
        if (score_ > best_score_) {
            best_score_ = score_;
            best_order_ = order_;
            idle_ = 0;
        }
    }
    return false;
}

}  // namespace forebear
