#include "search/dagclimber.h"

#include <algorithm>
#include <numeric>
#include <stdexcept>

#include "common/index.h"
#include "common/topology.h"
#include "search/selection.h"

namespace forebear {

namespace {

// One of this many random moves forces an arc. It is rare because a forced arc often costs much.
constexpr int kForceEvery = 8;

}  // namespace

DagClimber::DagClimber(std::shared_ptr<const OrderSets> sets, int tabu_length, int patience)
    : sets_(std::move(sets)),
      n_(sets_->n()),
      slots_(sets_->slots()),
      patience_(patience),
      words_((index(n_) + 63) / 64),
      required_(index(n_)),
      rank_(index(n_), kNoRank),
      parents_(index(n_) * index(slots_), -1),
      size_(index(n_)),
      gain_(index(n_) * index(n_)),
      gain_rank_(index(n_) * index(n_), kNoRank),
      gainers_(index(n_)),
      loss_(index(n_) * index(slots_)),
      loss_rank_(index(n_) * index(slots_)),
      descendants_(index(n_) * words_),
      order_(index(n_)),
      tabu_(tabu_length),
      flags_(make_flags(*sets_)) {
    std::iota(order_.begin(), order_.end(), 0);
    for (int u = 0; u < n_; ++u) {
        // Required parents are part of every start: adding single arcs would not reach a set that
        // requires several.
        required_[index(u)] = sets_->required(u);
        set_rank(u, best_within(u, required_[index(u)]));
    }
    if (!find_descendants()) clear();  // the required arcs form a cycle: no network is allowed
    begin();
}

void DagClimber::clear() {
    for (int u = 0; u < n_; ++u) set_rank(u, sets_->count(u) - 1);
    find_descendants();
}

void DagClimber::start(std::span<const int32_t> ranks) {
    for (int u = 0; u < n_; ++u)
        if (rank_[index(u)] != ranks[index(u)]) set_rank(u, ranks[index(u)]);
    if (!find_descendants()) {
        clear();
        begin();
        throw std::invalid_argument("these sets make a cycle");
    }
    begin();
}

void DagClimber::begin() {
    idle_ = 0;
    tabu_.clear();
    best_score_ = score_;
    best_rank_ = rank_;
}

// ---- gains and losses of one variable ----------------------------------------------

void DagClimber::set_rank(int u, int rank) {
    int32_t& own = rank_[index(u)];
    if (own != kNoRank) score_ -= sets_->ticks(u, own);
    own = rank;
    score_ += sets_->ticks(u, rank);
    size_[index(u)] = write_parents(*sets_, u, rank, parents_.data() + slot(u, 0));
    find_gains(u);
    find_losses(u);
}

/// The rank of the best set of u within `members`.
int DagClimber::best_within(int u, std::span<const int32_t> members) {
    std::fill(flags_.begin(), flags_.begin() + n_, kBarred);
    for (const int32_t p : members) flags_[index(p)] = kFine;
    return sets_->next_feasible(u, 0, sets_->count(u), flags_.data());
}

/// Finds, for every other variable w, the best set of u within its parents and w.
void DagClimber::find_gains(int u) {
    auto& gainers = gainers_[index(u)];
    for (const int32_t w : gainers) gain_rank_[at(u, w)] = kNoRank;
    gainers.clear();
    if (size_[index(u)] == slots_) return;  // no set has more parents
    std::fill(flags_.begin(), flags_.begin() + n_, kWanted);
    flags_[index(u)] = kBarred;
    for (const int32_t p : parents(u)) flags_[index(p)] = kFine;
    const int end = rank_[index(u)];
    const int32_t now = sets_->ticks(u, end);
    for (int rank = 0, wanted = n_ - 1 - size_[index(u)]; wanted > 0; ++rank, --wanted) {
        rank = sets_->next_gain(u, rank, end, flags_.data());
        if (rank >= end) return;
        int w = -1;
        for (int k = 0; w < 0; ++k)
            if (const int member = sets_->parent(u, k, rank); flags_[index(member)] == kWanted)
                w = member;
        flags_[index(w)] = kBarred;
        gain_[at(u, w)] = sets_->ticks(u, rank) - now;
        gain_rank_[at(u, w)] = rank;
        gainers.push_back(w);
    }
}

/// Finds the best set of u without each of its parents.
void DagClimber::find_losses(int u) {
    std::fill(flags_.begin(), flags_.begin() + n_, kBarred);
    for (const int32_t p : parents(u)) flags_[index(p)] = kFine;
    const int own = rank_[index(u)];
    for (int k = 0; k < size_[index(u)]; ++k) {
        const size_t place = slot(u, k);
        flags_[index(parents_[place])] = kBarred;
        loss_rank_[place] = sets_->next_feasible(u, own + 1, sets_->count(u), flags_.data());
        loss_[place] = sets_->ticks(u, loss_rank_[place]) - sets_->ticks(u, own);
        flags_[index(parents_[place])] = kFine;
    }
}

/// Finds the descendants of every variable. Returns false if there is a cycle.
bool DagClimber::find_descendants() {
    // The previous order is preferred, so that few variables change places.
    std::vector<int32_t> order = topological_order(parents_, slots_, order_, Next::ready_longest);
    if (order.size() != order_.size()) return false;
    order_ = std::move(order);
    std::fill(descendants_.begin(), descendants_.end(), 0);
    for (int i = n_ - 1; i >= 0; --i) {
        const int u = order_[index(i)];
        const uint64_t* const own = descendants_.data() + index(u) * words_;
        for (const int32_t p : parents(u)) {
            uint64_t* const row = descendants_.data() + index(p) * words_;
            for (size_t k = 0; k < words_; ++k) row[k] |= own[k];
            row[index(u) / 64] |= uint64_t{1} << (u % 64);
        }
    }
    return true;
}

// ---- moves ----------------------------------------------------------------------

/// Whether the arc can be reversed: no other path leads from the parent to the child.
bool DagClimber::can_reverse(int parent, int child) const {
    return std::none_of(parents(child).begin(), parents(child).end(),
                        [&](int other) { return descends(other, parent); });
}

bool DagClimber::is_required(int parent, int child) const {
    const auto& own = required_[index(child)];
    return std::find(own.begin(), own.end(), parent) != own.end();
}

/// The best move that is not tabu, or leads to a new best.
DagClimber::Move DagClimber::best_move() const {
    Move best;
    // Takes the move if it is better than the best so far and `legal()`: it creates no cycle.
    // Returns false if it is not better.
    const auto consider = [&](const Move& move, const auto& legal) {
        if (move.delta <= best.delta) return false;
        if (legal() && (score_ + move.delta > best_score_ || !tabu_.holds(move.parent, move.child)))
            best = move;
        return true;
    };
    for (int u = 0; u < n_; ++u) {
        for (int k = 0; k < size_[index(u)]; ++k) {
            const int p = parents_[slot(u, k)];
            const int64_t loss = loss_[slot(u, k)];
            consider(Move{kRemove, p, u, loss}, [] { return true; });
            if (gain_rank_[at(p, u)] != kNoRank)
                consider(Move{kReverse, p, u, loss + gain_[at(p, u)]},
                         [&] { return can_reverse(p, u); });
        }
        // Additions are sorted: the rest is no better.
        for (const int32_t w : gainers_[index(u)])
            if (!consider(Move{kAdd, w, u, gain_[at(u, w)]}, [&] { return !descends(w, u); }))
                break;
    }
    return best;
}

void DagClimber::make(const Move& move) {
    const auto [kind, parent, child, delta] = move;
    const int reversed = gain_rank_[at(parent, child)];  // before the child's row changes
    if (kind == kAdd) {
        set_rank(child, gain_rank_[at(child, parent)]);
    } else {
        const auto own = parents(child);
        const auto k = static_cast<int>(std::find(own.begin(), own.end(), parent) - own.begin());
        set_rank(child, loss_rank_[slot(child, k)]);
        if (kind == kReverse) set_rank(parent, reversed);
    }
    tabu_.add(parent, child);
    find_descendants();
}

bool DagClimber::climb(int steps) {
    for (; steps > 0; --steps) {
        const Move move = best_move();
        if (move.kind == kNone || (move.delta <= 0 && idle_ >= patience_)) return true;
        make(move);
        ++idle_;
        if (score_ > best_score_) {
            best_score_ = score_;
            best_rank_ = rank_;
            idle_ = 0;
        }
    }
    return false;
}

// ---- random moves -----------------------------------------------------------------

void DagClimber::perturb(Random& random, int moves) {
    for (int i = 0; i < moves; ++i) random_move(random);
    begin();
}

/// Removes a random arc, reverses one if that creates no cycle, or sometimes forces one.
void DagClimber::random_move(Random& random) {
    const int kind = random.below(kForceEvery) == 0 ? kAdd
                     : random.below(2) == 0         ? kRemove
                                                    : kReverse;
    int parent, child;
    if (kind == kAdd) {
        parent = random.below(n_);
        child = random.below(n_);
        force(parent, child);
    } else if (random_arc(random, parent, child) && !is_required(parent, child)) {
        const bool reverse = kind == kReverse && gain_rank_[at(parent, child)] != kNoRank &&
                             can_reverse(parent, child);
        make({reverse ? kReverse : kRemove, parent, child, 0});
    }
}

/// Gives the child its best set that contains the parent and creates no cycle, if there is one. Its
/// other parents may change. Changes of single arcs would not find a set that is good only with all
/// its members.
void DagClimber::force(int parent, int child) {
    const int count = sets_->count(child), first = sets_->first_with(parent, child);
    if (first >= count || descends(parent, child)) return;
    for (int w = 0; w < n_; ++w) flags_[index(w)] = descends(w, child) ? kBarred : kFine;
    const int rank = sets_->next_feasible(child, first, count, flags_.data(), parent);
    if (rank >= count) return;
    set_rank(child, rank);
    find_descendants();
}

bool DagClimber::random_arc(Random& random, int& parent, int& child) const {
    const int arcs = std::accumulate(size_.begin(), size_.end(), 0);
    if (arcs == 0) return false;
    int number = random.below(arcs);
    for (child = 0; number >= size_[index(child)]; ++child) number -= size_[index(child)];
    parent = parents_[slot(child, number)];
    return true;
}

}  // namespace forebear
