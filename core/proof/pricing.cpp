#include "proof/pricing.h"

#include <algorithm>
#include <climits>
#include <utility>

#include "common/index.h"

namespace forebear {

namespace {

constexpr int64_t kFar = int64_t{1} << 61;  // above all reduced costs

/// For one variable: the clusters that each parent is in, and the sums of multipliers of clusters
/// that are not hit. Clusters are bits, largest multipliers first; local cuts have a byte, with a
/// bit for each other member of their group. Each byte has a table of sums.
class Avoided {
public:
    Avoided(const SetCosts& sets, int v, const std::vector<PricedCut>& cuts,
            const std::vector<int32_t>& own)
        : sets_(sets), v_(v), words_((count_bytes(cuts, own) + 7) / 8) {
        hits_.resize(index(sets.n() + 1) * words_);
        sums_.resize(words_ * kWord);
        rest_.resize(words_ + 1);
        second_level_.resize(words_);
        third_level_.resize(words_);
        size_t bit = 0, end = 0;  // the next cluster's bit, if not at the end of a byte; the end
        for (int32_t number : own) {
            const PricedCut& weighted = cuts[index(number)];
            if (weighted.cut.is_local()) {
                add_local(weighted, end);
                end += 8;
            } else {
                if (bit % 8 == 0) {
                    bit = end;
                    end += 8;
                }
                add_cluster(weighted, bit++);
            }
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
            const uint64_t hit = once & (twice | ~second_level_[w]) & (thrice | ~third_level_[w]);
            const int64_t* sums = sums_.data() + w * kWord;
            for (int b = 0; b < 8; ++b, sums += 256) cost -= sums[hit >> (8 * b) & 255];
        }
        return cost;
    }

private:
    static constexpr size_t kWord = 8 * 256;  // sums per word

    /// Eight clusters share a byte; a local cut has one of its own.
    static size_t count_bytes(const std::vector<PricedCut>& cuts, const std::vector<int32_t>& own) {
        const auto local = static_cast<size_t>(std::count_if(
            own.begin(), own.end(), [&](int32_t c) { return cuts[index(c)].cut.is_local(); }));
        return local + (own.size() - local + 7) / 8;
    }
    void hit(int32_t member, size_t bit) {
        hits_[index(member) * words_ + bit / 64] |= uint64_t{1} << (bit % 64);
    }
    void add_cluster(const PricedCut& cluster, size_t bit) {
        if (cluster.cut.level >= 2) second_level_[bit / 64] |= uint64_t{1} << (bit % 64);
        if (cluster.cut.level >= 3) third_level_[bit / 64] |= uint64_t{1} << (bit % 64);
        for (int32_t member : cluster.cut.members)
            if (member != v_) hit(member, bit);
        for (size_t hits = 0; hits < 256; ++hits)
            if (!(hits >> (bit % 8) & 1)) sums_[bit / 8 * 256 + hits] += cluster.ticks;
        rest_[bit / 64] += cluster.ticks;
    }
    /// The bits of its byte are the other members of the group.
    void add_local(const PricedCut& local, size_t bit) {
        const auto& members = local.cut.members;
        const auto place = index(std::find(members.begin(), members.end(), v_) - members.begin());
        size_t next = bit;
        for (int32_t member : members)
            if (member != v_) hit(member, next++);
        const size_t below = (size_t{1} << place) - 1, all = (size_t{1} << members.size()) - 1;
        for (size_t hits = 0; hits < 256; ++hits) {
            const size_t parents = ((hits & below) | (hits & ~below) << 1) & all;
            sums_[bit / 8 * 256 + hits] = local.cut.shortfall(place, parents) * local.ticks;
        }
        rest_[bit / 64] += local.cut.shortfall(place, 0) * local.ticks;
    }

    const SetCosts& sets_;
    int v_;
    size_t words_;
    std::vector<uint64_t> hits_;  // [member][word]; the last row, for unused slots, is zero
    std::vector<int64_t> sums_;   // [byte][hits]: the sum over the clusters that are not hit
    std::vector<int64_t> rest_;   // of a word: the sum over all clusters from there on
    // The clusters of level 2 or 3, which one parent does not hit; those of level 3.
    std::vector<uint64_t> second_level_, third_level_;
};

}  // namespace

Pricing::Pricing(const SetCosts& sets, std::vector<PricedCut> clusters)
    : sets_(sets), clusters_(std::move(clusters)), of_(index(sets.n())) {
    std::stable_sort(clusters_.begin(), clusters_.end(),
                     [](const PricedCut& a, const PricedCut& b) { return a.ticks > b.ticks; });
    for (size_t c = 0; c < clusters_.size(); ++c) {
        total_ += clusters_[c].cut.due * clusters_[c].ticks;
        for (int32_t member : clusters_[c].cut.members)
            of_[index(member)].push_back(static_cast<int32_t>(c));
    }
}

int64_t Pricing::price(int v, std::span<const int32_t> ranks, int64_t slack,
                       std::vector<Column>& columns) const {
    const Avoided avoided(sets_, v, clusters_, of_[index(v)]);
    // The last columns give a good limit at once.
    int64_t most = kFar;
    for (const Column& column : columns)
        if (column.is_set())
            most = std::min(most,
                            avoided.reduced(column.rank, sets_.cost(v, column.rank), kFar) + slack);
    columns.clear();
    for (const int32_t rank : ranks) {
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
