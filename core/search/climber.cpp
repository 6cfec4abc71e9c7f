// The cached deltas of an order, and their updates.
#include "search/climber.h"

#include <algorithm>
#include <cmath>

#include "common/index.h"
#include "search/selection.h"

namespace forebear {

namespace {

// A place is in the head if the first set that fits is expected beyond this rank. Without a head,
// climbs of audio-train from random orders take 36 % longer.
constexpr double kScanWorthwhile = 4000;

// Clearing a single entry of a matrix takes about as long as filling this many adjacent ones.
// Without this rule, climbs of audio-train from random orders take 18 % longer.
constexpr size_t kFillFactor = 20;

int head_size(int n, int slots) {
    return std::clamp(
        static_cast<int>(std::ceil(n / std::pow(kScanWorthwhile, 1.0 / std::max(1, slots)))), 1, n);
}

}  // namespace

Climber::Climber(std::shared_ptr<const OrderSets> sets)
    : sets_(std::move(sets)),
      n_(sets_->n()),
      slots_(sets_->slots()),
      order_(index(n_)),
      place_(index(n_)),
      rank_(index(n_)),
      delta_(n_, 0, sets_->largest_square()),
      gain_rank_(n_, kNoRank, sets_->largest_square()),
      gains_(index(n_)),
      loss_rank_(index(n_) * index(slots_), kNoRank),
      deepest_(index(n_)),
      flags_(make_flags(*sets_)),
      first_row_(delta_.is_square() ? 0 : index(n_), kNoRank),
      affected_(index(n_)),
      head_(head_size(n_, slots_)),
      cache_(sets_->cache()),
      head_keys_(index(head_)),
      is_marked_(index(n_)),
      is_touched_(index(n_)) {}

void Climber::start(std::span<const int32_t> order) {
    clear_deltas();
    std::copy(order.begin(), order.end(), order_.begin());
    for (int i = 0; i < n_; ++i) place_[index(order_[index(i)])] = i;
    score_ = 0;
    // With every place, one more variable may be a parent.
    std::fill(flags_.begin(), flags_.begin() + n_, kWanted);
    for (int i = 0; i < n_; ++i) {
        const int u = order_[index(i)];
        rank_[index(u)] = sets_->next_feasible(u, 0, sets_->count(u), flags_.data());
        score_ += sets_->ticks(u, rank_[index(u)]);
        find_gains(u, 0, rank_[index(u)], n_ - 1 - i, -1);
        for (const int32_t w : gains_[index(u)]) flags_[index(w)] = kWanted;
        find_losses(u, ~0u, rank_[index(u)] + 1);
        flags_[index(u)] = kFine;
    }
}

// ---- gains and losses of one variable ----------------------------------------------

void Climber::flag_later(int u, uint8_t flag) {
    const int own = place_[index(u)];
    sets_->flag_after(place_.data(), own, flag, flags_.data());
    flags_[index(u)] = kBarred;
}

void Climber::refresh(int u) {
    clear_gains(u);
    flag_later(u, kWanted);
    find_gains(u, 0, rank_[index(u)], n_ - 1 - place_[index(u)], -1);
    find_losses(u, ~0u, rank_[index(u)] + 1);
}

void Climber::clear_deltas() {
    size_t recorded = 0;
    for (int u = 0; u < n_; ++u) recorded += gains_[index(u)].size() + index(slots_);
    const bool one_by_one = delta_.is_square() && recorded * kFillFactor < index(n_) * index(n_);
    if (!one_by_one) delta_.clear();
    int parents[kMaxSlots];
    for (int u = 0; u < n_; ++u) {
        for (const int32_t w : gains_[index(u)]) gain_rank_.set(u, w, kNoRank);
        if (one_by_one) {
            for (const int32_t w : gains_[index(u)]) delta_.set(w, u, 0);
            const int count = sets_->parents(u, rank_[index(u)], parents);
            for (int slot = 0; slot < count; ++slot) delta_.set(parents[slot], u, 0);
        }
        gains_[index(u)].clear();
    }
}

void Climber::clear_gains(int u) {
    for (const int32_t w : gains_[index(u)]) {
        gain_rank_.set(u, w, kNoRank);
        delta_.set(w, u, 0);
    }
    gains_[index(u)].clear();
}

/// Stores, for every variable flagged kWanted, the best set of u in which it is the only flagged
/// one.
void Climber::find_gains(int u, int from, int end, int wanted, int must) {
    for (int rank = from; wanted > 0;) {
        rank = sets_->next_gain(u, rank, end, flags_.data(), must);
        if (rank >= end) return;
        for (int k = 0; k < slots_; ++k) {
            const int w = sets_->parent(u, k, rank);
            if (w < 0) break;
            if (flags_[index(w)] != kWanted) continue;
            record_gain(u, w, rank);
            flags_[index(w)] = kBarred;
            --wanted;
            break;
        }
        ++rank;
    }
}

void Climber::record_gain(int u, int w, int rank) {
    mark(w);
    if (gain_rank_.get(u, w) == kNoRank) gains_[index(u)].push_back(w);
    gain_rank_.set(u, w, rank);
    delta_.set(w, u, sets_->ticks(u, rank) - sets_->ticks(u, rank_[index(u)]));
}

/// Finds the best set of u without each of its parents, for the slots in `which`. The variables
/// after u are flagged.
void Climber::find_losses(int u, unsigned which, int from) {
    int parents[kMaxSlots];
    const int count = sets_->parents(u, rank_[index(u)], parents);
    for (int slot = 0; slot < count; ++slot) {
        if (!(which >> slot & 1)) continue;
        flags_[index(parents[slot])] = kBarred;
        record_loss(u, slot, parents[slot],
                  sets_->next_feasible(u, from, sets_->count(u), flags_.data()));
        flags_[index(parents[slot])] = kFine;
    }
    update_deepest(u);
}

void Climber::record_loss(int u, int slot, int parent, int rank) {
    mark(parent);
    loss_rank_[index(u) * index(slots_) + index(slot)] = rank;
    delta_.set(parent, u, sets_->ticks(u, rank) - sets_->ticks(u, rank_[index(u)]));
}

void Climber::update_deepest(int u) {
    int parents[kMaxSlots];
    const int count = sets_->parents(u, rank_[index(u)], parents);
    int deepest = rank_[index(u)];
    for (int slot = 0; slot < count; ++slot)
        deepest = std::max(deepest, loss_rank_[index(u) * index(slots_) + index(slot)]);
    deepest_[index(u)] = deepest;
}

void Climber::set_rank(int u, int rank) {
    int parents[kMaxSlots];
    const int count = sets_->parents(u, rank_[index(u)], parents);
    for (int slot = 0; slot < count; ++slot) {
        delta_.set(parents[slot], u, 0);
        mark(parents[slot]);
    }
    mark(u);
    score_ += sets_->ticks(u, rank) - sets_->ticks(u, rank_[index(u)]);
    rank_[index(u)] = rank;
    refresh(u);
}

/// Updates u after v has moved behind it.
void Climber::remove_predecessor(int u, int v) {
    const int first = sets_->first_with(v, u);
    if (first > deepest_[index(u)]) return;
    const int rank = rank_[index(u)];
    int parents[kMaxSlots];
    const int count = sets_->parents(u, rank, parents);
    for (int slot = 0; slot < count; ++slot)
        if (parents[slot] == v) {
            set_rank(u, loss_rank_[index(u) * index(slots_) + index(slot)]);
            return;
        }
    if (first < rank) {
        // Gains from sets with v are lost. Sets of lower rank may replace them.
        int from = kNoRank;
        auto& gains = gains_[index(u)];
        lost_gains_.clear();
        for (size_t i = 0; i < gains.size();) {
            const int w = gains[i];
            const int rank_with_w = gain_rank_.get(u, w);
            if (!sets_->holds(u, rank_with_w, v)) {
                ++i;
                continue;
            }
            from = std::min(from, rank_with_w + 1);
            lost_gains_.push_back(w);
            gain_rank_.set(u, w, kNoRank);
            delta_.set(w, u, 0);
            gains[i] = gains.back();
            gains.pop_back();
        }
        if (!lost_gains_.empty()) {
            flag_later(u, kBarred);
            for (const int32_t w : lost_gains_) flags_[index(w)] = kWanted;
            find_gains(u, from, rank, static_cast<int>(lost_gains_.size()), -1);
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
    if (which) {
        flag_later(u, kBarred);
        find_losses(u, which, from);
    }
}

/// Updates u after v has moved in front of it.
void Climber::add_predecessor(int u, int v) {
    const int first = sets_->first_with(v, u);
    if (first > deepest_[index(u)]) return;
    if (gain_rank_.get(u, v) != kNoRank) {
        set_rank(u, gain_rank_.get(u, v));
        return;
    }
    const int rank = rank_[index(u)];
    if (first < rank) {
        // Sets with v that had two members after u now have one.
        flag_later(u, kWanted);
        for (int r = first; (r = sets_->next_gain(u, r, rank, flags_.data(), v)) < rank; ++r)
            for (int k = 0; k < slots_; ++k) {
                const int w = sets_->parent(u, k, r);
                if (w < 0) break;
                if (flags_[index(w)] != kWanted) continue;
                if (gain_rank_.get(u, w) > r) record_gain(u, w, r);
                flags_[index(w)] = kBarred;
                break;
            }
    }
    if (deepest_[index(u)] > rank) {
        int parents[kMaxSlots];
        const int count = sets_->parents(u, rank, parents);
        flag_later(u, kBarred);
        for (int r = std::max(first, rank + 1);
             (r = sets_->next_feasible(u, r, deepest_[index(u)], flags_.data(), v)) <
             deepest_[index(u)];
             ++r) {
            bool better = false;
            for (int slot = 0; slot < count; ++slot)
                if (loss_rank_[index(u) * index(slots_) + index(slot)] > r &&
                    !sets_->holds(u, r, parents[slot])) {
                    record_loss(u, slot, parents[slot], r);
                    better = true;
                }
            if (better) update_deepest(u);
        }
    }
}

}  // namespace forebear
