#include "scoring/records.h"

#include <bit>
#include <stdexcept>
#include <utility>

#include "common/index.h"
#include "common/platform.h"

namespace forebear {

Packing::Packing(int n_variables, int max_parents) {
    slots_ = std::max(1, max_parents);
    bits_ = std::max(
        1, static_cast<int>(std::bit_width(static_cast<unsigned>(std::max(1, n_variables - 1)))));
    mask_ = (uint64_t{1} << bits_) - 1;
    if (slots_ > 15 || bits_ * slots_ > 60)
        throw std::length_error("parent sets of this size cannot be packed into 64 bits");
}

namespace {

// In records. Blocks grow from 256 KB to a large page, so that threads that keep few sets use
// little memory. A thread that keeps many leaves at most a large page unused.
constexpr int64_t kFirstBlock = 1 << 14, kLargestBlock = kLargePage / sizeof(Record);
// Smaller pieces are not worth a system call.
constexpr int64_t kDiscarded = 1 << 12;

int64_t bytes_of(int64_t capacity) { return capacity * static_cast<int64_t>(sizeof(Record)); }

size_t size_of_piece(int64_t capacity) {
    return index(std::bit_width(static_cast<uint64_t>(capacity / RecordArena::kFirstPiece)) - 1);
}

}  // namespace

Record* RecordArena::take(int64_t capacity) {
    bytes_.fetch_add(bytes_of(capacity), std::memory_order_relaxed);
    std::vector<Record*>& free = free_[size_of_piece(capacity)];
    if (!free.empty()) {
        Record* const piece = free.back();
        free.pop_back();
        return piece;
    }
    if (end_ - at_ < capacity) add_block(capacity);
    return std::exchange(at_, at_ + capacity);
}

void RecordArena::add_block(int64_t least) {
    // The rest of the previous block becomes free pieces.
    for (int64_t size = kLargestPiece; size >= kFirstPiece; size /= 2)
        for (; end_ - at_ >= size; at_ += size) free_[size_of_piece(size)].push_back(at_);
    const int64_t next =
        blocks_.empty() ? kFirstBlock
                        : std::min(kLargestBlock, 4 * static_cast<int64_t>(blocks_.back().size()));
    blocks_.emplace_back(index(std::max(next, least)));
    at_ = blocks_.back().data();
    end_ = at_ + blocks_.back().size();
}

void RecordArena::give_back(Record* piece, int64_t capacity) {
    bytes_.fetch_sub(bytes_of(capacity), std::memory_order_relaxed);
    free_[size_of_piece(capacity)].push_back(piece);
}

void RecordArena::discard(Record* piece, int64_t capacity) {
    bytes_.fetch_sub(bytes_of(capacity), std::memory_order_relaxed);
    if (capacity >= kDiscarded) discard_pages(piece, index(bytes_of(capacity)));
}

void RecordArena::clear() {
    blocks_.clear();
    at_ = end_ = nullptr;
    for (auto& free : free_) free.clear();
}

void RecordList::grow() {
    if (!pieces_.empty()) full_ += pieces_.back().capacity;
    const int64_t capacity =
        pieces_.empty() ? RecordArena::kFirstPiece
                        : std::min(RecordArena::kLargestPiece, 2 * pieces_.back().capacity);
    pieces_.push_back({arena_->take(capacity), capacity});
    at_ = pieces_.back().records;
    end_ = at_ + capacity;
}

template <class Free>
Record* RecordList::move_to(Record* out, const Free& free) {
    for (const Piece& piece : pieces_) {
        const int64_t count = &piece == &pieces_.back() ? at_ - piece.records : piece.capacity;
        out = std::copy_n(piece.records, count, out);
        free(piece);
    }
    pieces_.clear();
    at_ = end_ = nullptr;
    full_ = 0;
    return out;
}

Record* RecordList::drain(Record* out) {
    return move_to(out,
                   [&](const Piece& piece) { arena_->discard(piece.records, piece.capacity); });
}

void RecordList::clear() {
    for (const Piece& piece : pieces_) arena_->give_back(piece.records, piece.capacity);
    pieces_.clear();
    at_ = end_ = nullptr;
    full_ = 0;
}

void RecordList::keep_best(int64_t most) {
    std::vector<Record> all(index(size()));
    move_to(all.data(),
            [&](const Piece& piece) { arena_->give_back(piece.records, piece.capacity); });
    if (static_cast<int64_t>(all.size()) > most) {
        const auto last = std::max_element(all.begin(), all.end(), ranks_before);
        std::swap(*last, all.back());
        std::nth_element(all.begin(), all.begin() + (most - 1), all.end() - 1, ranks_before);
        all[index(most - 1)] = all.back();
        all.resize(index(most));
    }
    for (const Record& record : all) push(record);
}

Record* rank(Record* records, Record* scratch, int64_t count) {
    constexpr int kDigit = 11, kBuckets = 1 << kDigit;  // the table of buckets fits in the L1 cache
    constexpr int kMostPasses = 3;
    if (count < kBuckets) {
        std::sort(records, records + count, ranks_before);
        return records;
    }
    // Radix sort by the leading bits of the distance from the best score. Records with equal
    // leading bits are sorted afterwards.
    int64_t best = records[0].score, worst = best;
    for (int64_t i = 1; i < count; ++i) {
        best = std::max(best, records[i].score);
        worst = std::min(worst, records[i].score);
    }
    const int width = std::bit_width(static_cast<uint64_t>(best) - static_cast<uint64_t>(worst));
    const int passes = std::min(kMostPasses, (width + kDigit - 1) / kDigit);
    const int dropped = std::max(0, width - passes * kDigit);
    const auto leading = [&](const Record& r) {
        return (static_cast<uint64_t>(best) - static_cast<uint64_t>(r.score)) >> dropped;
    };
    const auto digit = [](uint64_t number, int pass) {
        return number >> pass * kDigit & (kBuckets - 1);
    };
    int64_t sizes[kMostPasses][kBuckets] = {};
    for (int64_t i = 0; i < count; ++i) {
        const uint64_t number = leading(records[i]);
        for (int pass = 0; pass < kMostPasses; ++pass) ++sizes[pass][digit(number, pass)];
    }
    Record* from = records;
    Record* to = scratch;
    for (int pass = 0; pass < passes; ++pass) {
        int64_t starts[kBuckets];
        int64_t sum = 0;
        for (int b = 0; b < kBuckets; ++b) starts[b] = std::exchange(sum, sum + sizes[pass][b]);
        for (int64_t i = 0; i < count; ++i) to[starts[digit(leading(from[i]), pass)]++] = from[i];
        std::swap(from, to);
    }
    for (int64_t i = 0; i < count;) {
        int64_t j = i + 1;
        while (j < count && leading(from[j]) == leading(from[i])) ++j;
        if (j - i > 1) std::sort(from + i, from + j, ranks_before);
        i = j;
    }
    return from;
}

}  // namespace forebear
