// Compares the kernels of every instruction set that this CPU can run with the baseline, on random
// inputs: all must write the same bytes. Needs no Python, so that it runs under emulation, too.
//   kernel_test       compares, on 300 inputs per kernel
//   kernel_test 5000  on 5,000
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "common/random.h"
#include "kernels/choice.h"
#include "scoring/kernels.h"
#include "search/scan.h"

using namespace forebear;

namespace {

constexpr uint64_t kSeed[4] = {1, 2, 3, 4};
Random random_(kSeed);

/// Everything that a kernel writes, as bytes.
using Bytes = std::vector<uint8_t>;

template <class T>
void append(Bytes& bytes, const std::vector<T>& values) {
    const size_t before = bytes.size();
    bytes.resize(before + values.size() * sizeof(T));
    if (!values.empty()) std::memcpy(&bytes[before], values.data(), values.size() * sizeof(T));
}

template <class T>
std::vector<const T*> rows_of(const std::vector<std::vector<T>>& rows) {
    std::vector<const T*> starts;
    for (const auto& row : rows) starts.push_back(row.data());
    return starts;
}

// ---- inputs -------------------------------------------------------------------

struct Counting {
    Counting(int n_vectors, int blocks, size_t stride)
        : blocks(blocks), stride(stride), columns(index(blocks) * stride * kLanes) {
        begin = stride > 3 ? static_cast<size_t>(random_.below(3)) : 0;
        for (uint64_t& word : columns) word = random_() | random_();  // more ones than zeros
        vectors.resize(index(n_vectors), std::vector<uint64_t>(stride));
        for (auto& vector : vectors)
            for (uint64_t& word : vector) word = random_.below(4) ? random_() : ~uint64_t{0};
    }
    Bytes run(const Kernels& kernels) const {
        std::vector<std::vector<int32_t>> out(vectors.size(),
                                              std::vector<int32_t>(index(blocks) * kLanes, 7));
        std::vector<int32_t*> places;
        for (auto& row : out) places.push_back(row.data());
        kernels.count_rows(rows_of(vectors).data(), static_cast<int>(vectors.size()),
                           columns.data(), stride, begin, stride, 0, blocks, places.data());
        Bytes bytes;
        for (const auto& row : out) append(bytes, row);
        return bytes;
    }
    int blocks;
    size_t stride, begin;
    std::vector<uint64_t> columns;
    std::vector<std::vector<uint64_t>> vectors;
};

/// Counts as a table has them: fewer rows where more is asked for.
struct Summing {
    Summing(int prefix, int items) : prefix(prefix), items(items), table(1 << 12) {
        const int n_cells = 1 << prefix;
        std::vector<std::vector<int32_t>> exact(index(n_cells), std::vector<int32_t>(index(items)));
        cells.resize(index(n_cells));
        for (int32_t& count : cells) count = random_.below((1 << 12) / n_cells);
        for (int m = 0; m < n_cells; ++m)
            for (int32_t& count : exact[index(m)]) count = random_.below(cells[index(m)] + 1);
        rows = exact;  // sums over all cells that contain the members m
        for (int bit = 0; bit < prefix; ++bit)
            for (int m = 0; m < n_cells; ++m)
                if (!(m >> bit & 1))
                    for (int z = 0; z < items; ++z)
                        rows[index(m)][index(z)] += rows[index(m | 1 << bit)][index(z)];
        for (int64_t& value : table) value = static_cast<int64_t>(random_()) >> 12;
    }
    Bytes run(const Kernels& kernels) const {
        std::vector<int64_t> out(index(items), -1);
        kernels.binary_sums(rows_of(rows).data(), prefix, cells.data(), table.data(), items > 2, items,
                            out.data());
        Bytes bytes;
        append(bytes, out);
        const std::vector<int32_t> radices(index(prefix), 2);
        std::vector<int32_t> values(rows.size() * index(items));
        kernels.cell_counts(rows_of(rows).data(), radices.data(), prefix,
                            static_cast<int>(rows.size()), 0, items, values.data(), items);
        append(bytes, values);
        return bytes;
    }
    int prefix, items;
    std::vector<int64_t> table;
    std::vector<int32_t> cells;
    std::vector<std::vector<int32_t>> rows;
};

struct Pruning {
    Pruning(int prefix, int items, int classes) : prefix(prefix), items(items), classes(classes) {
        const int half = prefix > 0 ? 1 << (prefix - 1) : 0, whole = 1 << prefix;
        fill(f, prefix * half);
        fill(g, prefix * half);
        fill(f_last, whole);
        for (int i = 0; i < prefix; ++i) floor.push_back(value());
        for (int i = 0; i < whole * classes; ++i) g_last.push_back(value());
        for (int z = 0; z < items + kLanes; ++z) class_of.push_back(random_.below(classes));
    }
    Bytes run(const Kernels& kernels) const {
        Bytes bytes;
        for (int children = 0; children <= prefix + 1; ++children) prune(kernels, children, bytes);
        return bytes;
    }
    void prune(const Kernels& kernels, int children, Bytes& bytes) const {
        const auto f_rows = rows_of(f), g_rows = rows_of(g), last_rows = rows_of(f_last);
        const Lattice lattice{prefix,        children,      f_rows.data(),
                              g_rows.data(), floor.data(),  last_rows.data(),
                              g_last.data(), classes,       class_of.data()};
        std::vector<std::vector<int64_t>> scores(index(prefix) + 1,
                                                 std::vector<int64_t>(index(items + kLanes), -1));
        std::vector<std::vector<uint8_t>> keep(index(prefix) + 1,
                                               std::vector<uint8_t>(index(items / kLanes + 1), 7));
        std::vector<int64_t*> score_rows;
        std::vector<uint8_t*> keep_rows;
        for (auto& row : scores) score_rows.push_back(row.data());
        for (auto& row : keep) keep_rows.push_back(row.data());
        kernels.prune(lattice, 0, items, score_rows.data(), keep_rows.data());
        for (auto& row : scores) {
            row.resize(index(items));  // past the end is anything
            append(bytes, row);
        }
        for (const auto& row : keep) append(bytes, row);
    }
    static int64_t value() {  // some are equal, and some are never kept
        return random_.below(20) == 0 ? kNeverKept : random_.below(64) - 64;
    }
    void fill(std::vector<std::vector<int64_t>>& rows, int count) const {
        rows.assign(index(count), std::vector<int64_t>(index(items + kLanes)));
        for (auto& row : rows)
            for (int64_t& each : row) each = value();
    }
    int prefix, items, classes;
    std::vector<std::vector<int64_t>> f, g, f_last;
    std::vector<int64_t> floor, g_last;
    std::vector<int32_t> class_of;
};

template <class Id>
struct Scanning {
    static constexpr bool kBytes = sizeof(Id) == 1;
    Scanning(int n, int slots, int length, int wanted, int barred)
        : n(n), must(random_.below(2) ? random_.below(n) : -1), length(length) {
        const Id pad = kBytes ? Id{kBytePad} : static_cast<Id>(kWordPad);
        members.resize(index(slots), std::vector<Id>(index(length)));
        for (auto& row : members)
            for (Id& id : row) id = random_.below(4) ? static_cast<Id>(random_.below(n)) : pad;
        flags.assign(index(n < 256 ? 256 : n) + kFlagPadding, kFine);
        for (int v = 0; v < n; ++v)
            flags[index(v)] = random_.below(100) < wanted   ? kWanted
                              : random_.below(100) < barred ? kBarred
                                                            : kFine;
    }
    Bytes run(const ScanKernels& kernels) const {
        Slots<Id> slots{};
        slots.count = static_cast<int>(members.size());
        for (int k = 0; k < slots.count; ++k) slots.rows[k] = members[index(k)].data();
        std::vector<int32_t> found;
        for (int rank = 0; rank <= length; ++rank) found.push_back(rank = feasible(kernels, slots, rank));
        for (int rank = 0; rank <= length; ++rank) found.push_back(rank = gain(kernels, slots, rank));
        Bytes bytes;
        append(bytes, found);
        return bytes;
    }
    int feasible(const ScanKernels& kernels, const Slots<Id>& slots, int from) const {
        if constexpr (kBytes) return kernels.next_feasible8(slots, from, length, flags.data(), n, must);
        else return kernels.next_feasible16(slots, from, length, flags.data(), n, must);
    }
    int gain(const ScanKernels& kernels, const Slots<Id>& slots, int from) const {
        if constexpr (kBytes) return kernels.next_gain8(slots, from, length, flags.data(), n, must);
        else return kernels.next_gain16(slots, from, length, flags.data(), n, must);
    }
    int n, must, length;
    std::vector<std::vector<Id>> members;
    std::vector<uint8_t> flags;
};

struct Listing {
    explicit Listing(int n) : row(index(n)) {
        for (int32_t& value : row) value = random_.below(3) ? 0 : random_.below(2) ? 1 : INT32_MIN;
    }
    Bytes run(const ScanKernels& kernels) const {
        const int n = static_cast<int>(row.size());
        std::vector<int32_t> places(row.size(), -1);
        std::vector<uint8_t> flags(row.size(), 9);
        std::vector<int32_t> count{kernels.nonzeros(row.data(), n, places.data())};
        kernels.flag_after(row.data(), n, 0, kBarred, flags.data());
        Bytes bytes;
        append(bytes, count);
        append(bytes, places);
        append(bytes, flags);
        return bytes;
    }
    std::vector<int32_t> row;
};

// ---- comparisons --------------------------------------------------------------

int failures = 0, passes = 0;

template <class Input>
Bytes run_with(const Input& input, const std::string& name) {
    if (!use_kernels(name)) std::abort();
    if constexpr (requires { input.run(kernels()); }) return input.run(kernels());
    else return input.run(scan_kernels());
}

template <class Make>
void compare(const char* kernel, int inputs, const Make& make) {
    for (int i = 0; i < inputs; ++i) {
        const auto input = make();
        const Bytes expected = run_with(input, "baseline");
        for (const std::string& name : available_kernels())
            if (run_with(input, name) != expected) {
                std::printf("%s: %s differs from the baseline on input %d\n", kernel, name.c_str(), i);
                ++failures;
                return;
            }
    }
    ++passes;
}

int from_to(int least, int most) { return least + random_.below(most - least + 1); }

void compare_all(int inputs) {
    compare("count_rows", inputs, [] {
        return Counting(from_to(1, 9), from_to(1, 3), static_cast<size_t>(from_to(1, 100)));
    });
    compare("binary_sums", inputs, [] { return Summing(from_to(0, 7), from_to(1, 40)); });
    compare("prune", inputs, [] { return Pruning(from_to(1, 5), from_to(1, 40), from_to(1, 4)); });
    const auto share = [] { return random_.below(2) ? from_to(0, 5) : from_to(0, 60); };
    compare("scans of bytes", inputs, [&] {
        return Scanning<uint8_t>(from_to(2, kByteVariables), from_to(1, 6), from_to(1, 200), share(),
                                 share());
    });
    compare("scans of words", inputs, [&] {
        return Scanning<uint16_t>(from_to(255, 1100), from_to(1, 6), from_to(1, 200), share(),
                                  share());
    });
    compare("nonzeros", inputs, [] { return Listing(from_to(1, 70)); });
}

}  // namespace

int main(int count, char** words) {
    const int inputs = count == 2 ? std::atoi(words[1]) : 300;
    std::printf("instruction sets:");
    for (const std::string& name : available_kernels()) std::printf(" %s", name.c_str());
    std::printf("\n");
    compare_all(inputs);
    std::printf("%d passed, %d failed\n", passes, failures);
    return failures > 0;
}
