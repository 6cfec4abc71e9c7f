#include "posterior/weightedsets.h"

#include <algorithm>
#include <cmath>

#include "common/index.h"
#include "common/random.h"

namespace forebear {

namespace {

/// A block ends where a weight would be below exp(-kBlockNats): far from the smallest double.
constexpr double kBlockNats = 300.0;

}  // namespace

WeightedSets::WeightedSets(const ParentSetsView<uint16_t>& all)
    : n_(all.n()),
      slots_(all.slots),
      narrow_(n_ <= kByteVariables),
      offsets_(all.offsets.begin(), all.offsets.end()),
      scores_(all.scores),
      counts_(index(n_)),
      byte_slots_(index(n_)),
      word_slots_(index(n_)),
      keys_(set_keys(n_)),
      kernels_(scan_kernels()) {
    if (narrow_) {
        bytes_.resize(index(slots_) * index(total()));
        for (size_t i = 0; i < bytes_.size(); ++i)
            bytes_[i] = all.parents[i] == kWordPad ? kBytePad : static_cast<uint8_t>(all.parents[i]);
    }
    ranks_.resize(index(total()));
    int32_t own[kMaxSlots];
    for (int v = 0; v < n_; ++v) {
        const int64_t begin = offsets_[index(v)], end = offsets_[index(v) + 1];
        byte_slots_[index(v)].count = word_slots_[index(v)].count = slots_;
        for (int k = 0; k < slots_; ++k) {
            word_slots_[index(v)].rows[k] = all.row(k) + begin;
            byte_slots_[index(v)].rows[k] = bytes_.data() + k * total() + begin;
        }
        int count = static_cast<int>(end - begin);
        while (count > 0 && !std::isfinite(scores_[index(begin + count - 1)])) --count;
        counts_[index(v)] = count;
        for (int r = 0; r < static_cast<int>(end - begin); ++r) {
            const int size = members(v, r, own);
            ranks_[index(begin + r)] = {key({own, index(size)}), r};
        }
        std::sort(ranks_.begin() + begin, ranks_.begin() + end);
    }
}

int WeightedSets::members(int v, int rank, int32_t* out) const {
    const Slots<uint16_t>& own = word_slots_[index(v)];
    int size = 0;
    while (size < slots_ && own.rows[size][rank] != kWordPad) {
        out[size] = own.rows[size][rank];
        ++size;
    }
    return size;
}

uint64_t WeightedSets::key(std::span<const int32_t> members) const {
    uint64_t sum = 0;
    for (const int32_t u : members) sum += keys_[index(u)];
    return sum;
}

int WeightedSets::find(int v, std::span<const int32_t> members) const {
    const std::pair<uint64_t, int32_t> wanted{key(members), -1};
    const auto begin = ranks_.begin() + offsets_[index(v)], end = ranks_.begin() + offsets_[index(v) + 1];
    const auto found = std::lower_bound(begin, end, wanted);
    return found != end && found->first == wanted.first ? found->second : -1;
}

int WeightedSets::next_feasible(int v, int from, int end, const uint8_t* flags, int must) const {
    return narrow_ ? kernels_.next_feasible8(byte_slots_[index(v)], from, end, flags, n_, must)
                   : kernels_.next_feasible16(word_slots_[index(v)], from, end, flags, n_, must);
}

std::unique_ptr<Weights> WeightedSets::weights(double beta) const {
    auto result = std::make_unique<Weights>();
    result->beta = beta;
    result->values.resize(index(total()), 0.0);
    result->blocks.resize(index(n_));
    for (int v = 0; v < n_; ++v) {
        auto& blocks = result->blocks[index(v)];
        for (int r = 0; r < count(v); ++r) {
            const double log_weight = beta * score(v, r);
            if (blocks.empty() || log_weight < blocks.back().base - kBlockNats)
                blocks.push_back({r, log_weight});
            result->values[index(place(v, r))] = std::exp(log_weight - blocks.back().base);
        }
    }
    return result;
}

}  // namespace forebear
