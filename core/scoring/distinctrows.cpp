#include "scoring/distinctrows.h"

#include <algorithm>
#include <array>
#include <bit>
#include <numeric>
#include <utility>

#include "common/index.h"

namespace forebear {

namespace {

// Rows of more bits are not compared, because rows of so many variables are hardly ever equal.
constexpr size_t kMostWords = 4;

constexpr int kBuckets = 256;       // parts of the rows by their hash, for the threads
constexpr int kTrialBuckets = 8;    // compared first, to see whether equal rows occur
constexpr int64_t kChunkRows = 1 << 14;  // of a column: they stay in the cache

/// The codes of a row in a few words, which are equal only for equal rows.
class RowKeys {
public:
    explicit RowKeys(const Table& table) : table_(table) {
        int used = 0;
        for (const int32_t arity : table.arities) {
            const int bits = std::bit_width(static_cast<uint32_t>(arity - (table.missing ? 0 : 1)));
            if (used + bits > 64) {
                ++words_;
                used = 0;
            }
            places_.push_back({words_ - 1, used});
            used += bits;
        }
    }

    size_t words() const { return words_; }

    void make(Team& team) {
        const int64_t rows = table_.codes.rows;
        keys_.assign(index(rows) * words_, 0);
        const auto chunks = static_cast<int>((rows + kChunkRows - 1) / kChunkRows);
        for_each_item(team, chunks, [&](int chunk) {
            const int64_t begin = chunk * kChunkRows, end = std::min(rows, begin + kChunkRows);
            for (int v = 0; v < table_.n_variables(); ++v) {
                const auto [word, shift] = places_[index(v)];
                table_.codes.visit(v, [&](const auto* column) {
                    for (int64_t row = begin; row < end; ++row)
                        keys_[index(row) * words_ + word] |= uint64_t{column[row]} << shift;
                });
            }
        });
    }

    uint64_t hash(uint32_t row) const {
        uint64_t hash = 0;
        for (const uint64_t word : key(row)) {  // the mixer of SplitMix64
            hash = (hash ^ word) + 0x9e3779b97f4a7c15u;
            hash = (hash ^ (hash >> 30)) * 0xbf58476d1ce4e5b9u;
            hash = (hash ^ (hash >> 27)) * 0x94d049bb133111ebu;
            hash ^= hash >> 31;
        }
        return hash;
    }
    bool equal(uint32_t a, uint32_t b) const {
        return std::equal(key(a).begin(), key(a).end(), key(b).begin());
    }

private:
    std::span<const uint64_t> key(uint32_t row) const {
        return std::span(keys_).subspan(index(row) * words_, words_);
    }
    struct Place {
        size_t word;
        int shift;
    };
    const Table& table_;
    size_t words_ = 1;
    std::vector<Place> places_;
    std::vector<uint64_t> keys_;  // row by row
};

/// The distinct rows of one bucket, and how often each counts.
struct Bucket {
    std::vector<uint32_t> rows;
    std::vector<int64_t> weights;

    void fill(std::span<const uint32_t> from, const RowKeys& keys, std::span<const int64_t> given) {
        const size_t slots = std::bit_ceil(2 * from.size() + 1);
        std::vector<uint32_t> table(slots, kNone);
        for (const uint32_t row : from) {
            size_t slot = keys.hash(row) & (slots - 1);
            while (table[slot] != kNone && !keys.equal(rows[table[slot]], row))
                slot = (slot + 1) & (slots - 1);
            if (table[slot] == kNone) {
                table[slot] = static_cast<uint32_t>(rows.size());
                rows.push_back(row);
                weights.push_back(0);
            }
            weights[table[slot]] += given.empty() ? 1 : given[row];
        }
    }
    static constexpr uint32_t kNone = UINT32_MAX;
};

/// The rows bucket by bucket, in their order, and where each bucket starts.
struct Buckets {
    std::vector<uint32_t> rows;
    std::array<size_t, kBuckets + 1> starts{};

    Buckets(const RowKeys& keys, int64_t n_rows, Team& team) : rows(index(n_rows)) {
        std::vector<uint8_t> bucket(index(n_rows));
        const auto chunks = static_cast<int>((n_rows + kChunkRows - 1) / kChunkRows);
        std::vector<std::array<size_t, kBuckets>> places(index(chunks));
        const auto for_rows = [&](int chunk, const auto& visit) {
            const int64_t end = std::min(n_rows, (chunk + 1) * kChunkRows);
            for (int64_t row = chunk * kChunkRows; row < end; ++row)
                visit(static_cast<uint32_t>(row));
        };
        for_each_item(team, chunks, [&](int chunk) {
            for_rows(chunk, [&](uint32_t row) {
                bucket[row] = static_cast<uint8_t>(keys.hash(row) >> 56);
                ++places[index(chunk)][bucket[row]];
            });
        });
        size_t next = 0;
        for (size_t b = 0; b < kBuckets; ++b) {
            starts[b] = next;
            for (auto& own : places) next += std::exchange(own[b], next);
        }
        starts[kBuckets] = next;
        for_each_item(team, chunks, [&](int chunk) {
            for_rows(chunk, [&](uint32_t row) { rows[places[index(chunk)][bucket[row]]++] = row; });
        });
    }

    std::span<const uint32_t> operator[](int bucket) const {
        const size_t start = starts[index(bucket)];
        return std::span(rows).subspan(start, starts[index(bucket) + 1] - start);
    }
};

int64_t sum_of(std::span<const int64_t> numbers) {
    return std::accumulate(numbers.begin(), numbers.end(), int64_t{0});
}

}  // namespace

StoredRows store_by_digits(std::span<const uint32_t> rows, std::span<const int64_t> weights) {
    std::vector<std::vector<uint32_t>> digits(1);
    for (size_t i = 0; i < rows.size(); ++i)
        for (auto left = static_cast<uint64_t>(weights[i]); left; left &= left - 1) {
            const auto k = index(std::countr_zero(left));
            if (digits.size() <= k) digits.resize(k + 1);
            digits[k].push_back(rows[i]);
        }
    // The rows of each digit but the last fill whole words. The remaining rows are stored twice,
    // and each copy counts half as often.
    for (size_t k = digits.size(); k-- > 1;) {
        while (digits[k].size() % 64) {
            digits[k - 1].insert(digits[k - 1].end(), 2, digits[k].back());
            digits[k].pop_back();
        }
    }
    StoredRows stored;
    stored.ends.resize(digits.size());
    for (size_t k = digits.size(); k-- > 0;) {
        stored.rows.insert(stored.rows.end(), digits[k].begin(), digits[k].end());
        stored.ends[k] = static_cast<int64_t>(stored.rows.size());
    }
    return stored;
}

std::optional<StoredRows> merge_rows(const Table& table, std::span<const int64_t> weights,
                                     Team& team) {
    RowKeys keys(table);
    if (keys.words() > kMostWords) return std::nullopt;
    keys.make(team);
    const Buckets buckets(keys, table.codes.rows, team);
    std::vector<Bucket> distinct(kBuckets);
    const auto compare = [&](int first, int last) {
        for_each_item(team, last - first, [&](int i) {
            distinct[index(first + i)].fill(buckets[first + i], keys, weights);
        });
        int64_t rows = 0, total = 0;
        for (const Bucket& bucket : distinct) {
            rows += static_cast<int64_t>(bucket.rows.size());
            total += sum_of(bucket.weights);
        }
        return 2 * rows <= total;
    };
    if (!compare(0, kTrialBuckets) || !compare(kTrialBuckets, kBuckets)) return std::nullopt;
    std::vector<uint32_t> rows;
    std::vector<int64_t> counts;
    for (const Bucket& bucket : distinct) {
        rows.insert(rows.end(), bucket.rows.begin(), bucket.rows.end());
        counts.insert(counts.end(), bucket.weights.begin(), bucket.weights.end());
    }
    StoredRows stored = store_by_digits(rows, counts);
    if (2 * static_cast<int64_t>(stored.rows.size()) > sum_of(counts)) return std::nullopt;
    return stored;
}

StoredRows repeat_rows(std::span<const int64_t> weights) {
    StoredRows stored;
    for (size_t row = 0; row < weights.size(); ++row)
        stored.rows.insert(stored.rows.end(), index(weights[row]), static_cast<uint32_t>(row));
    stored.ends.assign(1, static_cast<int64_t>(stored.rows.size()));
    return stored;
}

}  // namespace forebear
