// The parent sets that scoring keeps, until they are ranked.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <vector>

#include "common/mappedarray.h"

namespace forebear {

/// A parent set of some child: its score in fixed point and its members, packed.
struct Record {
    int64_t score;
    uint64_t parents;
};

/// Best first; in a tie, the smaller set, then the lexicographically smaller, as packed sets
/// compare.
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

/// The memory of one thread's lists of records. Pieces are cut from large blocks: threads that map
/// and unmap memory, or whose heaps grow, make each other wait.
class RecordArena {
public:
    /// The sizes of the pieces in use are added to `bytes`.
    explicit RecordArena(std::atomic<int64_t>& bytes) : bytes_(bytes) {}
    RecordArena(const RecordArena&) = delete;
    RecordArena& operator=(const RecordArena&) = delete;

    /// A piece for `capacity` records, a power of two from kFirstPiece to kLargestPiece.
    Record* take(int64_t capacity);
    /// Keeps a piece for later. Only one thread at a time may call this or take().
    void give_back(Record* piece, int64_t capacity);
    /// Returns the memory of a large piece to the system at once. Any thread may call this.
    void discard(Record* piece, int64_t capacity);
    /// Frees everything.
    void clear();

    // In records. The first piece is small, because there is a list per thread and variable, and
    // many stay short. The largest limits the unused memory at the end of a list.
    static constexpr int64_t kFirstPiece = 16, kLargestPiece = 1 << 14;

private:
    static constexpr int kSizes = 11;  // of pieces, from the first to the largest
    void add_block(int64_t least);

    std::atomic<int64_t>& bytes_;
    std::vector<MappedArray<Record>> blocks_;
    Record* at_ = nullptr;  // what is left of the last block
    Record* end_ = nullptr;
    std::array<std::vector<Record*>, kSizes> free_;
};

/// A list of records in pieces of doubling size, so that little memory is unused and nothing is
/// copied as it grows.
class RecordList {
public:
    explicit RecordList(RecordArena& arena) : arena_(&arena) {}

    void push(const Record& record) {
        if (at_ == end_) grow();
        *at_++ = record;
    }
    int64_t size() const { return full_ + (pieces_.empty() ? 0 : at_ - pieces_.back().records); }
    /// Copies everything to `out`, and discards each piece once it is copied. Returns the end of
    /// the copy. Several threads may drain lists of the same arena.
    Record* drain(Record* out);
    /// Frees everything.
    void clear();
    /// Keeps the best `most` - 1 and the one that ranks last, which is the empty set where it is
    /// allowed.
    void keep_best(int64_t most);

private:
    struct Piece {
        Record* records;
        int64_t capacity;
    };
    template <class Free>
    Record* move_to(Record* out, const Free& free);
    void grow();
    Record* at_ = nullptr;
    Record* end_ = nullptr;
    int64_t full_ = 0;  // number of records in all pieces but the last
    std::vector<Piece> pieces_;
    RecordArena* arena_;
};

/// Sorts records best first. `scratch` has room for as many; the result is in one of the two, and
/// is returned.
Record* rank(Record* records, Record* scratch, int64_t count);

}  // namespace forebear
