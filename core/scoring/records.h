// Kept families on their way from the lattice to the ranked lists.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

namespace forebear {

/// A kept family of some child: its score in fixed point, its parents packed.
struct Record {
    int64_t score;
    uint64_t parents;
};

/// Best first; ties: smaller set first, then lexicographic (the packing sees to it).
inline bool ranks_before(const Record& a, const Record& b) {
    return a.score != b.score ? a.score > b.score : a.parents < b.parents;
}

/// Parents of one set in one word, ordered like the sets: size first, then lexicographic.
class Packing {
public:
    Packing(int n_variables, int max_parents);
    uint64_t empty(int size) const { return static_cast<uint64_t>(size) << 60; }
    uint64_t place(int variable, int slot) const {
        return static_cast<uint64_t>(variable) << shift(slot);
    }
    int size(uint64_t packed) const { return static_cast<int>(packed >> 60); }
    int parent(uint64_t packed, int slot) const {
        return static_cast<int>(packed >> shift(slot) & mask_);
    }

private:
    int shift(int slot) const { return bits_ * (slots_ - 1 - slot); }
    int bits_ = 1, slots_ = 1;
    uint64_t mask_ = 1;
};

/// Grows in pieces that double, so that little is wasted and nothing is copied.
class RecordList {
public:
    explicit RecordList(std::atomic<int64_t>& bytes) : bytes_(&bytes) {}

    void push(const Record& record) {
        if (at_ == end_) grow();
        *at_++ = record;
    }
    int64_t size() const { return full_ + (pieces_.empty() ? 0 : at_ - pieces_.back().get()); }
    /// Copies everything to `out` and lets go of the memory.
    Record* drain(Record* out);
    /// Lets go of everything.
    void clear();
    /// Keeps the best `most` and the last ranked.
    void keep_best(int64_t most);

private:
    struct Release {
        int64_t capacity;
        void operator()(Record* records) const;
    };
    using Piece = std::unique_ptr<Record[], Release>;
    static Piece make_piece(int64_t capacity);
    void grow();
    Record* at_ = nullptr;
    Record* end_ = nullptr;
    int64_t full_ = 0;  // records in all pieces but the last
    std::vector<Piece> pieces_;
    std::atomic<int64_t>* bytes_;
};

/// Sorts records best first. `scratch` holds as many.
void rank(Record* records, Record* scratch, int64_t count);

}  // namespace forebear
