// Ranked parent sets as a sampler reads them: ids in slots, and exp(score) of every set.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "common/index.h"
#include "common/parentsets.h"
#include "search/scan.h"

namespace forebear {

/// Sets whose scores are far apart do not fit one scale: exp(-800) is 0. So a list is cut into
/// blocks, and weights are relative to the first score of their block.
struct Block {
    int begin;
    double base;  ///< log weight of the first set
};

/// The weights exp(beta * score) of all sets, for one inverse temperature.
struct Weights {
    double beta;
    std::vector<double> values;               ///< by place in the collection
    std::vector<std::vector<Block>> blocks;   ///< by variable
};

class WeightedSets {
public:
    /// The scores of `all` must outlive this.
    explicit WeightedSets(const ParentSetsView<uint16_t>& all);

    int n() const { return n_; }
    int slots() const { return slots_; }
    /// Sets of v that are possible: those with a finite score.
    int count(int v) const { return counts_[index(v)]; }
    int64_t place(int v, int rank) const { return offsets_[index(v)] + rank; }
    int64_t total() const { return offsets_.back(); }
    double score(int v, int rank) const { return scores_[index(place(v, rank))]; }
    /// Writes the members of a set; returns their number.
    int members(int v, int rank, int32_t* out) const;
    /// The rank of a set with these members, or -1.
    int find(int v, std::span<const int32_t> members) const;
    /// The first feasible rank of v in [from, end), else end (ScanKernels::next_feasible8).
    int next_feasible(int v, int from, int end, const uint8_t* flags, int must) const;
    std::unique_ptr<Weights> weights(double beta) const;

private:
    uint64_t key(std::span<const int32_t> members) const;

    int n_, slots_;
    bool narrow_;
    std::vector<int64_t> offsets_;
    std::span<const double> scores_;
    std::vector<int> counts_;
    std::vector<uint8_t> bytes_;
    std::vector<Slots<uint8_t>> byte_slots_;
    std::vector<Slots<uint16_t>> word_slots_;
    std::vector<uint64_t> keys_;                            // by variable (set_keys)
    std::vector<std::pair<uint64_t, int32_t>> ranks_;       // by variable, sorted by key
    const ScanKernels& kernels_;
};

}  // namespace forebear
