#include "scoring/records.h"

#include <bit>
#include <cstring>
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

// In records. The first is small since there is a list per thread and variable, and many stay
// short. The largest bounds what is unused at the end. src/forebear/footprint.py has the same
// sizes.
constexpr int64_t kFirstPiece = 16, kMappedPiece = 1 << 12, kLargestPiece = 1 << 14;

size_t bytes_of(int64_t capacity) { return index(capacity) * sizeof(Record); }

}  // namespace

RecordList::Piece RecordList::make_piece(int64_t capacity) {
    // Large pieces come straight from the system and return to it when they are drained: the ranked
    // arrays grow at the same time, and a heap would keep what was freed.
    if (capacity < kMappedPiece) return {new Record[index(capacity)], Release{capacity}};
    return {static_cast<Record*>(map_pages(bytes_of(capacity))), Release{capacity}};
}

void RecordList::Release::operator()(Record* records) const {
    if (capacity < kMappedPiece) delete[] records;
    else unmap_pages(records, bytes_of(capacity));
}

void RecordList::grow() {
    if (!pieces_.empty()) full_ += pieces_.back().get_deleter().capacity;
    const int64_t capacity =
        pieces_.empty() ? kFirstPiece
                        : std::min(kLargestPiece, 2 * pieces_.back().get_deleter().capacity);
    pieces_.push_back(make_piece(capacity));
    bytes_->fetch_add(static_cast<int64_t>(bytes_of(capacity)), std::memory_order_relaxed);
    at_ = pieces_.back().get();
    end_ = at_ + capacity;
}

Record* RecordList::drain(Record* out) {
    for (Piece& piece : pieces_) {
        const int64_t capacity = piece.get_deleter().capacity;
        const int64_t count = &piece == &pieces_.back() ? at_ - piece.get() : capacity;
        out = std::copy_n(piece.get(), count, out);
        bytes_->fetch_sub(static_cast<int64_t>(bytes_of(capacity)), std::memory_order_relaxed);
        piece.reset();
    }
    pieces_.clear();
    at_ = end_ = nullptr;
    full_ = 0;
    return out;
}

void RecordList::clear() {
    for (const Piece& piece : pieces_)
        bytes_->fetch_sub(static_cast<int64_t>(bytes_of(piece.get_deleter().capacity)),
                          std::memory_order_relaxed);
    pieces_.clear();
    at_ = end_ = nullptr;
    full_ = 0;
}

void RecordList::keep_best(int64_t most) {
    std::vector<Record> all(index(size()));
    drain(all.data());
    if (static_cast<int64_t>(all.size()) > most) {
        const auto last = std::max_element(all.begin(), all.end(), ranks_before);
        std::swap(*last, all.back());
        std::nth_element(all.begin(), all.begin() + (most - 1), all.end() - 1, ranks_before);
        all[index(most - 1)] = all.back();
        all.resize(index(most));
    }
    for (const Record& record : all) push(record);
}

void rank(Record* records, Record* scratch, int64_t count) {
    constexpr int kDigit = 11, kBuckets = 1 << kDigit;  // the table of buckets fits in the L1 cache
    if (count < kBuckets) {
        std::sort(records, records + count, ranks_before);
        return;
    }
    // Radix sort by the leading bits of the distance from the best score. Records that agree in
    // those are sorted afterwards.
    int64_t best = records[0].score, worst = best;
    for (int64_t i = 1; i < count; ++i) {
        best = std::max(best, records[i].score);
        worst = std::min(worst, records[i].score);
    }
    const int width = std::bit_width(static_cast<uint64_t>(best) - static_cast<uint64_t>(worst));
    const int passes = std::min(3, (width + kDigit - 1) / kDigit);
    const int dropped = std::max(0, width - passes * kDigit);
    const auto leading = [&](const Record& r) {
        return (static_cast<uint64_t>(best) - static_cast<uint64_t>(r.score)) >> dropped;
    };
    Record* from = records;
    Record* to = scratch;
    for (int pass = 0; pass < passes; ++pass) {
        const int shift = pass * kDigit;
        int64_t starts[kBuckets] = {};
        for (int64_t i = 0; i < count; ++i) ++starts[leading(from[i]) >> shift & (kBuckets - 1)];
        int64_t sum = 0;
        for (int64_t& start : starts) start = std::exchange(sum, sum + start);
        for (int64_t i = 0; i < count; ++i)
            to[starts[leading(from[i]) >> shift & (kBuckets - 1)]++] = from[i];
        std::swap(from, to);
    }
    if (from != records) std::memcpy(records, from, index(count) * sizeof(Record));
    for (int64_t i = 0; i < count;) {
        int64_t j = i + 1;
        while (j < count && leading(records[j]) == leading(records[i])) ++j;
        if (j - i > 1) std::sort(records + i, records + j, ranks_before);
        i = j;
    }
}

}  // namespace forebear
