#include "search/ordersets.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "common/index.h"
#include "common/parallel.h"
#include "common/topology.h"

namespace forebear {

OrderSets::OrderSets(const ParentSetsView<uint16_t>& all, int largest_square, int threads,
                     std::vector<std::vector<int32_t>> earlier)
    : n_(all.n()),
      slots_(all.slots),
      narrow_(n_ <= kByteVariables),
      lists_(index(n_)),
      largest_square_(largest_square),
      first_with_(n_, kNoRank, largest_square),
      earlier_(std::move(earlier)),
      later_(earlier_.size()),
      cache_(std::make_unique<PrefixCache>(n_)) {
    const int64_t ids = slots_ * all.total();
    if (narrow_) {
        own_bytes_ = std::make_unique_for_overwrite<uint8_t[]>(index(ids));
        bytes_ += ids;
    }
    for_each_item(n_, threads, [&](int v) {
        List& list = lists_[index(v)];
        const int64_t begin = all.offsets[index(v)], end = all.offsets[index(v + 1)];
        list.scores = all.scores.data() + begin;
        list.best = list.scores[0];
        list.bytes.count = list.words.count = slots_;
        for (int k = 0; k < slots_; ++k) {
            const uint16_t* const words = list.words.rows[k] = all.row(k) + begin;
            if (!narrow_) continue;
            uint8_t* const bytes = own_bytes_.get() + k * all.total() + begin;
            for (int64_t i = 0; i < end - begin; ++i)
                bytes[i] = words[i] == kWordPad ? kBytePad : static_cast<uint8_t>(words[i]);
            list.bytes.rows[k] = bytes;
        }
        int64_t empty = begin;
        while (empty < end && slots_ > 0 && all.parent(0, empty) != kWordPad) ++empty;
        list.count = static_cast<int>(empty - begin) + 1;
        list.size = static_cast<int>(end - begin);
    });
    choose_ticks();
    find_first_with(threads);
    for (int v = 0; v < static_cast<int>(earlier_.size()); ++v)
        for (const int32_t u : earlier_[index(v)]) later_[index(u)].push_back(v);
    find_preceding();
}

OrderSets::OrderSets(const OrderSets& all, std::span<const int64_t> starts,
                     std::span<const int32_t> ranks)
    : n_(all.n_),
      slots_(all.slots_),
      narrow_(all.narrow_),
      ticks_per_nat_(all.ticks_per_nat_),
      lists_(index(n_)),
      largest_square_(all.largest_square_),
      first_with_(n_, kNoRank, largest_square_),
      earlier_(all.earlier_),
      later_(all.later_),
      preceding_(all.preceding_),
      preceding_width_(all.preceding_width_),
      cache_(std::make_unique<PrefixCache>(n_)) {
    const auto total = static_cast<int64_t>(ranks.size());
    own_ranks_ = std::make_unique_for_overwrite<int32_t[]>(ranks.size());
    std::copy(ranks.begin(), ranks.end(), own_ranks_.get());
    own_scores_ = std::make_unique_for_overwrite<double[]>(ranks.size());
    if (narrow_) own_bytes_ = std::make_unique_for_overwrite<uint8_t[]>(index(slots_ * total));
    else own_words_ = std::make_unique_for_overwrite<uint16_t[]>(index(slots_ * total));
    for (int v = 0; v < n_; ++v) {
        List& list = lists_[index(v)];
        const List& whole = all.lists_[index(v)];
        const int64_t begin = starts[index(v)];
        list.count = list.size = static_cast<int>(starts[index(v + 1)] - begin);
        list.best = whole.best;
        list.scores = own_scores_.get() + begin;
        list.ranks = own_ranks_.get() + begin;
        list.bytes.count = list.words.count = slots_;
        for (int r = 0; r < list.count; ++r)
            own_scores_[index(begin + r)] = whole.scores[list.ranks[r]];
        for (int k = 0; k < slots_; ++k) {
            if (narrow_) {
                uint8_t* row = own_bytes_.get() + k * total + begin;
                for (int r = 0; r < list.count; ++r) row[r] = whole.bytes.rows[k][list.ranks[r]];
                list.bytes.rows[k] = row;
            } else {
                uint16_t* row = own_words_.get() + k * total + begin;
                for (int r = 0; r < list.count; ++r) row[r] = whole.words.rows[k][list.ranks[r]];
                list.words.rows[k] = row;
            }
        }
    }
    bytes_ = total * (12 + slots_ * (narrow_ ? 1 : 2));
    find_first_with(1);
}

void OrderSets::choose_ticks() {
    double largest = 1e-3, total = 0.0;  // nats: not zero, where all scores are equal
    bool forbidden = false;
    for (const List& list : lists_) {
        int last = list.count - 1;
        while (last >= 0 && !std::isfinite(list.scores[last])) --last;
        forbidden |= last < list.count - 1;
        const double range = last >= 0 ? list.best - list.scores[last] : 0.0;
        largest = std::max(largest, range);
        total += range;
    }
    // No gain of other variables may outweigh a set that is not allowed.
    const double range = forbidden ? std::max(largest, total) : largest;
    ticks_per_nat_ = std::exp2(std::floor(std::log2(kRange / range)));
}

std::vector<int32_t> OrderSets::required(int v) const {
    std::vector<int32_t> common;
    if (std::isfinite(score(v, count(v) - 1))) return common;
    int32_t members[kMaxSlots];
    bool first = true;
    for (int r = 0; r < count(v) - 1; ++r) {
        if (!std::isfinite(score(v, r))) continue;
        const int size = parents(v, r, members);
        if (std::exchange(first, false)) common.assign(members, members + size);
        std::erase_if(common, [&](int32_t member) {
            return std::find(members, members + size, member) == members + size;
        });
    }
    return common;
}

void OrderSets::find_preceding() {
    std::vector<std::vector<int32_t>> lists(index(n_));
    preceding_width_ = 0;
    for (int v = 0; v < n_; ++v) {
        auto& list = lists[index(v)] = required(v);
        if (has_orders())
            for (const int32_t u : earlier(v))
                if (std::find(list.begin(), list.end(), u) == list.end()) list.push_back(u);
        preceding_width_ = std::max(preceding_width_, static_cast<int>(list.size()));
    }
    preceding_.assign(index(n_) * index(preceding_width_), -1);
    for (int v = 0; v < n_; ++v)
        std::copy(lists[index(v)].begin(), lists[index(v)].end(),
                  preceding_.begin() + v * preceding_width_);
}

std::vector<int32_t> OrderSets::repair_order(std::span<const int32_t> order) const {
    if (preceding_.empty()) return {order.begin(), order.end()};
    std::vector<int32_t> result =
        topological_order(preceding_, preceding_width_, order, Next::preferred);
    std::vector<bool> placed(order.size());
    for (const int32_t v : result) placed[index(v)] = true;
    for (const int32_t v : order)
        if (!placed[index(v)]) result.push_back(v);
    return result;
}

void OrderSets::find_first_with(int threads) {
    // Entries of a square lie apart; a sparse row is changed by one thread at a time.
    for_each_item(n_, first_with_.is_square() ? threads : 1, [&](int u) {
        for (int r = 0; r < count(u); ++r)
            for (int k = 0; k < slots_; ++k) {
                const int v = parent(u, k, r);
                if (v < 0) break;
                if (first_with_.get(v, u) == kNoRank) first_with_.set(v, u, r);
            }
    });
    bytes_ += first_with_.bytes();
}

}  // namespace forebear
