#include "scoring/ranking.h"

#include <algorithm>
#include <atomic>
#include <span>

#include "common/index.h"
#include "common/mappedarray.h"

namespace forebear {

namespace {

// A thread gets at least so many slices if one variable has most of the records: enough that the
// last ones to end differ little, and few enough that reading a list once per slice costs little.
constexpr int kSlicesPerThread = 4;
constexpr int64_t kSmallestSlice = 1 << 13;  // records; smaller ones take less time than a thread
constexpr int64_t kSamplesPerSlice = 64;     // the sizes of slices then differ by about an eighth

/// One thread's room to sort records, which grows when it is too small.
class Buffer {
public:
    /// Room for twice as many records.
    Record* room_for(int64_t count) {
        constexpr size_t page = kLargePage / sizeof(Record);
        size_t needed = 2 * index(count);
        if (needed > page) needed = (needed + page - 1) / page * page;
        if (needed > records_.size()) {
            records_ = {};
            records_ = MappedArray<Record>(needed);
        }
        return records_.data();
    }

private:
    MappedArray<Record> records_;
};

class Ranking {
public:
    Ranking(Lists& lists, int n_variables, Team& team)
        : lists_(lists), n_(n_variables), team_(team), cuts_(index(n_variables)) {}

    void run(const WriteSlice& write) {
        cut_variables();
        list_slices();
        for_each_item(
            team_, static_cast<int>(slices_.size()), [](int) { return Buffer(); },
            [&](int item, Buffer& buffer) {
                const Slice& slice = slices_[index(item)];
                Record* const records = buffer.room_for(slice.size());
                gather(slice, records);
                write(slice, rank(records, records + slice.size(), slice.size()));
            });
    }

private:
    /// Where a variable is cut into slices, and their sizes.
    struct Cuts {
        std::vector<Record> starts;  // of all slices but the first
        std::vector<int64_t> sizes;
        std::atomic<int> left{0};  // slices that are not gathered yet
    };

    void cut_variables();
    void cut(int v, int64_t count, int64_t slices);
    void count_slices(std::span<const int> variables);
    void list_slices();
    void gather(const Slice& slice, Record* out);

    Lists& lists_;
    int n_;
    Team& team_;
    std::vector<Cuts> cuts_;
    std::vector<Slice> slices_;  // the largest first
};

void Ranking::cut_variables() {
    int64_t total = 0;
    for (int v = 0; v < n_; ++v) {
        cuts_[index(v)].sizes.assign(1, count_records(lists_, v));
        total += cuts_[index(v)].sizes[0];
    }
    if (team_.size() == 1) return;
    const int64_t share = std::max(kSmallestSlice, total / (team_.size() * kSlicesPerThread));
    std::vector<int> large;
    for (int v = 0; v < n_; ++v) {
        const int64_t count = cuts_[index(v)].sizes[0], slices = (count + share / 2) / share;
        if (slices < 2) continue;
        cut(v, count, slices);
        large.push_back(v);
    }
    count_slices(large);
}

void Ranking::cut(int v, int64_t count, int64_t slices) {
    const int64_t stride = std::max<int64_t>(1, count / (slices * kSamplesPerSlice));
    std::vector<Record> sample;
    int64_t next = 0;  // from the start of the piece
    for (const auto& lists : lists_)
        lists[index(v)].for_each_piece([&](const Record* records, int64_t size) {
            for (; next < size; next += stride) sample.push_back(records[next]);
            next -= size;
        });
    std::sort(sample.begin(), sample.end(), ranks_before);
    Cuts& cuts = cuts_[index(v)];
    for (int64_t k = 1; k < slices; ++k)
        cuts.starts.push_back(sample[sample.size() * index(k) / index(slices)]);
    cuts.sizes.assign(index(slices), 0);
    cuts.left = static_cast<int>(slices);
}

void Ranking::count_slices(std::span<const int> variables) {
    const int n_lists = static_cast<int>(lists_.size());
    std::vector<std::vector<int64_t>> counts(variables.size() * lists_.size());
    for_each_item(team_, static_cast<int>(counts.size()), [&](int item) {
        const int v = variables[index(item / n_lists)];
        const auto& starts = cuts_[index(v)].starts;
        std::vector<int64_t> sizes(starts.size() + 1);
        lists_[index(item % n_lists)][index(v)].for_each_piece(
            [&](const Record* records, int64_t size) {
                for (int64_t i = 0; i < size; ++i)
                    ++sizes[index(
                        std::upper_bound(starts.begin(), starts.end(), records[i], ranks_before) -
                        starts.begin())];
            });
        counts[index(item)] = std::move(sizes);
    });
    for (size_t item = 0; item < counts.size(); ++item) {
        Cuts& cuts = cuts_[index(variables[item / lists_.size()])];
        for (size_t k = 0; k < cuts.sizes.size(); ++k) cuts.sizes[k] += counts[item][k];
    }
}

void Ranking::list_slices() {
    for (int v = 0; v < n_; ++v) {
        int64_t begin = 0;
        for (int number = 0; const int64_t size : cuts_[index(v)].sizes) {
            slices_.push_back({v, number++, begin, begin + size});
            begin += size;
        }
    }
    std::stable_sort(slices_.begin(), slices_.end(),
                     [](const Slice& a, const Slice& b) { return a.size() > b.size(); });
}

void Ranking::gather(const Slice& slice, Record* out) {
    Cuts& cuts = cuts_[index(slice.variable)];
    const size_t last = cuts.starts.size(), number = index(slice.number);
    if (last == 0) {
        for (auto& lists : lists_) out = lists[index(slice.variable)].drain(out);
        return;
    }
    const Record* const from = number > 0 ? &cuts.starts[number - 1] : nullptr;
    const Record* const to = number < last ? &cuts.starts[number] : nullptr;
    for (const auto& lists : lists_)
        lists[index(slice.variable)].for_each_piece([&](const Record* records, int64_t size) {
            for (int64_t i = 0; i < size; ++i)
                if (!(from && ranks_before(records[i], *from)) &&
                    !(to && !ranks_before(records[i], *to)))
                    *out++ = records[i];
        });
    if (cuts.left.fetch_sub(1) == 1)
        for (auto& lists : lists_) lists[index(slice.variable)].discard();
}

}  // namespace

int64_t count_records(const Lists& lists, int variable) {
    int64_t count = 0;
    for (const auto& own : lists) count += own[index(variable)].size();
    return count;
}

void rank_lists(Lists& lists, int n_variables, Team& team, const WriteSlice& write) {
    Ranking(lists, n_variables, team).run(write);
}

}  // namespace forebear
