// The inner loops of scoring, compiled once per instruction set (core/kernels/).
//
// All of them give the same bits, since sums are integers.
#pragma once

#include <cstddef>
#include <cstdint>

namespace forebear {

/// The number of columns in a block. They are interleaved word by word, so that one vector
/// instruction of 512 bits handles one word of all of them.
constexpr int kLanes = 8;

/// The number of bit vectors that count_rows takes at once, to share the loads of the columns.
constexpr size_t kRowsAtOnce = 4;

/// The value of F for sets whose penalty alone exceeds any gain in likelihood. A family with such
/// an F is never kept. Differences of two such values do not overflow.
constexpr int64_t kNeverKept = -(int64_t{1} << 61);

/// Where the values of all subsets of prefix + z are in memory, for all z at once. The score of
/// child x with parent set Q is f - g. The last entry of each list is the family itself, the others
/// are its proper subsets.
struct Lattice {
    int prefix = 0;    ///< number of variables in the prefix
    int children = 0;  ///< only the first so many of prefix + z are children
    const int64_t* const* f =
        nullptr;  ///< children in the prefix: 2^(prefix-1) rows each, one child after another
    const int64_t* const* g = nullptr;       ///< likewise
    const int64_t* floor = nullptr;          ///< children in the prefix: the best subset without z
    const int64_t* const* f_last = nullptr;  ///< child z: 2^prefix rows
    const int64_t* g_last = nullptr;         ///< child z: 2^prefix x classes numbers
    int classes = 1;                         ///< of the arity of the child, on which g_last depends
    const int32_t* class_of = nullptr;       ///< the class of each z
};

struct Kernels {
    double cycles_per_word;  ///< of count_rows, about
    /// out[t][column] (+)= number of ones in vectors[t] AND column, for all columns of the blocks.
    /// `blocks` holds kLanes columns interleaved, `stride` words apart; only words [begin, end)
    /// count.
    void (*count_rows)(const uint64_t* const* vectors, int n_vectors, const uint64_t* blocks,
                       size_t stride, size_t begin, size_t end, int first_block, int last_block,
                       int32_t* const* out);

    /// All-binary families: out[z] = sum of table[count] over the cells of prefix + z.
    /// rows[m][z] counts the rows of the data where z and the members m of the prefix are all one;
    /// cells[c] counts those of the prefix alone, by cell.
    void (*binary_sums)(const int32_t* const* rows, int prefix, const int32_t* cells,
                        const int64_t* table, int z_begin, int z_end, int64_t* out);

    /// values[cell * stride + i] = number of data rows in that cell of the prefix and in item first
    /// + i, from rows[cell][item], where digit 0 of a cell still means "any state".
    void (*cell_counts)(const int32_t* const* rows, const int32_t* radices, int prefix, int n_cells,
                        int first, int count, int32_t* values, int stride);

    /// Writes scores[child][z - z_begin], and a bit in keep[child] if the family scores higher than
    /// all its subsets. May write up to kLanes - 1 scores past the end; bits past the end are
    /// clear.
    void (*prune)(const Lattice& lattice, int z_begin, int z_end, int64_t* const* scores,
                  uint8_t* const* keep);
};

/// The kernels of the instruction set in use (kernels/choice.h).
const Kernels& kernels();

}  // namespace forebear
