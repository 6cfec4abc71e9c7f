// Ranked parent sets in the form that the search reads.
#pragma once

#include <climits>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "common/index.h"
#include "common/parentsets.h"
#include "search/pairs.h"
#include "search/prefixcache.h"
#include "search/scan.h"

namespace forebear {

/// In place of a rank: larger than any.
constexpr int kNoRank = INT_MAX;

/// The parent sets of all variables, or a sample of them. Scores are integers: ticks below the best
/// score of the variable, so that sums are the same in any order and on any machine.
class OrderSets {
public:
    /// All sets. The arrays must outlive this object. Beyond `largest_square` variables, Pairs are
    /// sparse. `earlier` lists, for every variable, those that must precede it; it is empty if there
    /// are no such constraints.
    OrderSets(const ParentSetsView<uint16_t>& all, int largest_square, int threads,
              std::vector<std::vector<int32_t>> earlier);
    /// A sample of `all`. The ranks of v, ascending, are at [starts[v], starts[v + 1]). The last one
    /// is the empty set.
    OrderSets(const OrderSets& all, std::span<const int64_t> starts,
              std::span<const int32_t> ranks);

    int n() const { return n_; }
    int slots() const { return slots_; }
    /// The number of sets of v up to the empty set. Sets that rank lower are never chosen.
    int count(int v) const { return lists_[index(v)].count; }
    /// The number of all sets of v, including those that rank lower than the empty set.
    int size(int v) const { return lists_[index(v)].size; }
    double score(int v, int rank) const { return lists_[index(v)].scores[rank]; }
    /// The rank among all sets, if this is a sample.
    int full_rank(int v, int rank) const {
        const List& list = lists_[index(v)];
        return list.ranks ? list.ranks[rank] : rank;
    }
    /// The score relative to the best set of v, in ticks: zero or less.
    int32_t ticks(int v, int rank) const {
        const List& list = lists_[index(v)];
        const double below = (list.scores[rank] - list.best) * ticks_per_nat_;
        return below > -kForbidden ? static_cast<int32_t>(below - 0.5)
                                   : static_cast<int32_t>(-kForbidden);
    }
    double ticks_per_nat() const { return ticks_per_nat_; }
    /// The first rank of a set of u that contains v; kNoRank if there is none.
    int first_with(int v, int u) const { return first_with_.get(v, u); }
    const Pairs& first_with() const { return first_with_; }
    int largest_square() const { return largest_square_; }

    /// The member in a slot; -1 if the slot is unused.
    int parent(int v, int slot, int rank) const {
        const List& list = lists_[index(v)];
        if (narrow_) {
            const uint8_t id = list.bytes.rows[slot][rank];
            return id == kBytePad ? -1 : id;
        }
        const uint16_t id = list.words.rows[slot][rank];
        return id == kWordPad ? -1 : id;
    }
    /// Copies the members of a set. Returns their number, at most slots().
    int parents(int v, int rank, int32_t* members) const {
        int count = 0;
        while (count < slots_ && (members[count] = parent(v, count, rank)) >= 0) ++count;
        return count;
    }
    bool holds(int v, int rank, int member) const {
        for (int k = 0; k < slots_; ++k)
            if (parent(v, k, rank) == member) return true;
        return false;
    }

    int next_feasible(int v, int from, int end, const uint8_t* flags, int must = -1) const {
        const List& list = lists_[index(v)];
        return narrow_ ? scans_.next_feasible8(list.bytes, from, end, flags, n_, must)
                       : scans_.next_feasible16(list.words, from, end, flags, n_, must);
    }
    int next_gain(int v, int from, int end, const uint8_t* flags, int must = -1) const {
        const List& list = lists_[index(v)];
        return narrow_ ? scans_.next_gain8(list.bytes, from, end, flags, n_, must)
                       : scans_.next_gain16(list.words, from, end, flags, n_, must);
    }
    /// flags[v] = flag for the variables placed after `place`, kFine for the others.
    void flag_after(const int32_t* places, int place, uint8_t flag, uint8_t* flags) const {
        scans_.flag_after(places, n_, place, flag, flags);
    }
    /// The variables where a row is not zero.
    int nonzeros(const int32_t* row, int32_t* places) const {
        return scans_.nonzeros(row, n_, places);
    }
    /// Whether some variables must precede others, and which. Climbs respect this if they start from
    /// an order that does.
    bool has_orders() const { return !earlier_.empty(); }
    std::span<const int32_t> earlier(int v) const { return earlier_[index(v)]; }
    std::span<const int32_t> later(int v) const { return later_[index(v)]; }
    /// The members of all allowed sets of v, if its empty set is not allowed.
    std::vector<int32_t> required(int v) const;
    /// Returns the order, changed only as far as a variable precedes one of its required parents or
    /// a variable that must precede it. Variables on a cycle of these constraints come last.
    std::vector<int32_t> repair_order(std::span<const int32_t> order) const;
    int64_t bytes() const { return bytes_; }
    /// A cache for all climbers over these sets.
    PrefixCache& cache() const { return *cache_; }

private:
    // The cost in ticks of a set that is not allowed: more than all other variables together can
    // gain (choose_ticks). The difference of two sets does not overflow.
    static constexpr double kForbidden = INT32_MAX;
    static constexpr double kRange = 1 << 30;  // the most ticks between allowed sets

    struct List {
        Slots<uint8_t> bytes{};
        Slots<uint16_t> words{};
        const double* scores = nullptr;
        const int32_t* ranks = nullptr;
        double best = 0.0;
        int count = 0, size = 0;
    };
    void find_first_with(int threads);
    void find_preceding();
    void choose_ticks();

    const ScanKernels& scans_ = scan_kernels();
    int n_, slots_;
    bool narrow_;
    double ticks_per_nat_ = 1.0;
    int64_t bytes_ = 0;
    std::vector<List> lists_;
    int largest_square_;
    Pairs first_with_;
    std::vector<std::vector<int32_t>> earlier_, later_;
    // [v][place]: the variables that must come earlier than v, and the members of all allowed sets
    // of v where the empty set is not allowed; else -1. Empty if no variable has any.
    std::vector<int32_t> preceding_;
    int preceding_width_ = 0;
    // The memory that the lists point to, if it does not belong to the caller.
    std::unique_ptr<uint8_t[]> own_bytes_;
    std::unique_ptr<uint16_t[]> own_words_;
    std::unique_ptr<double[]> own_scores_;
    std::unique_ptr<int32_t[]> own_ranks_;
    std::unique_ptr<PrefixCache> cache_;
};

}  // namespace forebear
