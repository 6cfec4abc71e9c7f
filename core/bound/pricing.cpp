#include "bound/pricing.h"

#include <algorithm>
#include <climits>
#include <utility>

#include "common/index.h"

namespace forebear {

namespace {

constexpr int64_t kFar = int64_t{1} << 61;  // above all reduced costs

/// For one variable: the clusters that each parent is in, and the sums of multipliers of clusters
/// that are not hit. Clusters are bits, largest multipliers first. Each byte of them has a table of
/// sums.
class Avoided {
public:
    Avoided(const BoundSets& sets, int v, const std::vector<Weighted>& clusters,
            const std::vector<int32_t>& own)
        : sets_(sets),
          v_(v),
          words_((own.size() + 63) / 64),
          hits_(index(sets.n() + 1) * words_),
          sums_(words_ * kWord),
          rest_(words_ + 1),
          second_level_(words_),
          third_level_(words_) {
        for (size_t i = 0; i < own.size(); ++i) {
            const Weighted& cluster = clusters[index(own[i])];
            if (cluster.level >= 2) second_level_[i / 64] |= uint64_t{1} << (i % 64);
            if (cluster.level >= 3) third_level_[i / 64] |= uint64_t{1} << (i % 64);
            for (int32_t member : cluster.members)
                if (member != v) hits_[index(member) * words_ + i / 64] |= uint64_t{1} << (i % 64);
            for (size_t hit = 0; hit < 256; ++hit)
                if (!(hit >> (i % 8) & 1)) sums_[i / 8 * 256 + hit] += cluster.ticks;
            rest_[i / 64] += cluster.ticks;
        }
        for (size_t w = words_; w-- > 0;) rest_[w] += rest_[w + 1];
    }
    /// The sum of the multipliers of all clusters of the variable.
    int64_t total() const { return rest_[0]; }
    /// The reduced cost of a set; if that is above `most`, any number above `most`.
    int64_t reduced(int rank, int64_t cost, int64_t most) const {
        for (size_t w = 0; w < words_ && cost - rest_[w] <= most; ++w) {
            uint64_t once = 0, twice = 0, thrice = 0;
            for (int k = 0; k < sets_.slots(); ++k) {
                const uint16_t parent = sets_.parent(v_, k, rank);
                const uint64_t held =
                    hits_[(parent == kNoParent ? index(sets_.n()) : parent) * words_ + w];
                thrice |= twice & held;
                twice |= once & held;
                once |= held;
            }
            const uint64_t hit =
                once & (twice | ~second_level_[w]) & (thrice | ~third_level_[w]);
            const int64_t* sums = sums_.data() + w * kWord;
            for (int b = 0; b < 8; ++b, sums += 256) cost -= sums[hit >> (8 * b) & 255];
        }
        return cost;
    }

private:
    static constexpr size_t kWord = 8 * 256;  // sums per word

    const BoundSets& sets_;
    int v_;
    size_t words_;
    std::vector<uint64_t> hits_;  // [member][word]; the last row, for unused slots, is zero
    std::vector<int64_t> sums_;   // [byte][hits]: the sum over the clusters that are not hit
    std::vector<int64_t> rest_;   // of a word: the sum over all clusters from there on
    // The clusters of level 2 or 3, which one parent does not hit; those of level 3.
    std::vector<uint64_t> second_level_, third_level_;
};

}  // namespace

Pricing::Pricing(const BoundSets& sets, std::vector<Weighted> clusters)
    : sets_(sets), clusters_(std::move(clusters)), of_(index(sets.n())) {
    std::stable_sort(clusters_.begin(), clusters_.end(),
                     [](const Weighted& a, const Weighted& b) { return a.ticks > b.ticks; });
    for (size_t c = 0; c < clusters_.size(); ++c) {
        total_ += clusters_[c].level * clusters_[c].ticks;
        for (int32_t member : clusters_[c].members)
            of_[index(member)].push_back(static_cast<int32_t>(c));
    }
}

int64_t Pricing::price(int v, const Kept& kept, int64_t slack, std::vector<Column>& columns) const {
    const Avoided avoided(sets_, v, clusters_, of_[index(v)]);
    // The last columns give a good limit at once.
    int64_t most = kFar;
    for (const Column& column : columns)
        if (column.is_set())
            most = std::min(most,
                            avoided.reduced(column.rank, sets_.cost(v, column.rank), kFar) + slack);
    columns.clear();
    const int count = kept.all ? sets_.count(v) : static_cast<int>(kept.ranks.size());
    for (int i = 0; i < count; ++i) {
        const int rank = kept.all ? i : kept.ranks[index(i)];
        const int64_t cost = sets_.cost(v, rank);
        // Sets are sorted by cost: from here on none is cheap enough, whatever it avoids.
        if (cost - avoided.total() > most) break;
        const int64_t reduced = avoided.reduced(rank, cost, most);
        if (reduced > most) continue;
        columns.push_back({rank, reduced});
        most = std::min(most, reduced + slack);
    }
    std::erase_if(columns, [&](const Column& column) { return column.reduced > most; });
    return most - slack;
}

std::vector<int64_t> Pricing::avoided(int v, int count) const {
    const Avoided avoided(sets_, v, clusters_, of_[index(v)]);
    std::vector<int64_t> sums;
    for (int rank = 0; rank < count; ++rank) sums.push_back(-avoided.reduced(rank, 0, kFar));
    return sums;
}

}  // namespace forebear
