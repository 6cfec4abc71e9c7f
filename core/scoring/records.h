// The parent sets that scoring keeps, until they are ranked.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

namespace forebear {

/// A parent set of some child: its score in fixed point and its members, packed.
struct Record {
    int64_t score;
    uint64_t parents;
};

/// Best first; ties: the smaller set, then the lexicographically smaller. Packed sets compare so.
inline bool ranks_before(const Record& a, const Record& b) {
    return a.score != b.score ? a.score > b.score : a.parents < b.parents;
}

/// Packs the members of a set into one word. Words compare like the sets: by size, then
/// lexicographically.
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

/// A list of records in pieces of doubling size, so that little memory is unused and nothing is
/// copied as it grows.
class RecordList {
public:
    explicit RecordList(std::atomic<int64_t>& bytes) : bytes_(&bytes) {}

    void push(const Record& record) {
        if (at_ == end_) grow();
        *at_++ = record;
    }
    int64_t size() const { return full_ + (pieces_.empty() ? 0 : at_ - pieces_.back().get()); }
    /// Copies everything to `out`, and frees each piece once it is copied. Returns the end of the
    /// copy.
    Record* drain(Record* out);
    /// Frees everything.
    void clear();
    /// Keeps the best `most` - 1 and the one that ranks last, which is the empty set where it is
    /// allowed.
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
    int64_t full_ = 0;  // number of records in all pieces but the last
    std::vector<Piece> pieces_;
    std::atomic<int64_t>* bytes_;
};

/// Sorts records best first. `scratch` has room for as many.
void rank(Record* records, Record* scratch, int64_t count);

}  // namespace forebear
