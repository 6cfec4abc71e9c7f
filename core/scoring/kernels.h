// The three loops that scoring spends its time in, once per kind of CPU.
//
// One source (kernels.inc) is compiled several times with different
// instruction sets; the best one this CPU can run is chosen when the module
// is loaded. Sums are integers, so all of them give the same bits.
#pragma once

#include <cstddef>
#include <cstdint>

namespace forebear {

/// Columns of a block lie interleaved, word by word, so that one vector
/// instruction tests one word of all of them.
constexpr int kLanes = 8;

/// A set function this low stands for "hopeless": its penalty alone outweighs
/// anything the data could say. No family of such a set is ever kept.
constexpr int64_t kHopeless = -(int64_t{1} << 61);

/// Where the lattice of subsets of (prefix + z) lies in memory, for all z at once.
/// The score of child x given Q is f - g; the last entry of each list is the
/// whole family, the others are its proper subsets.
struct Lattice {
    int prefix = 0;  ///< number of variables in the prefix
    const int64_t* const* f =
        nullptr;  ///< prefix children: 2^(prefix-1) rows each, one child after another
    const int64_t* const* g = nullptr;       ///< likewise
    const int64_t* floor = nullptr;          ///< prefix children: best subset without z
    const int64_t* const* f_last = nullptr;  ///< child z: 2^prefix rows
    const int64_t* g_last = nullptr;         ///< child z: 2^prefix x classes scalars
    int classes = 1;                         ///< g_last depends on the child's class...
    const int32_t* class_of = nullptr;       ///< ...which this row tells, by z
};

struct Kernels {
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

    /// scores[child][z - z_begin], and a bit for it in keep[child]: does the family beat all its
    /// subsets? May write up to kLanes - 1 scores past the end; bits past the end are clear.
    void (*prune)(const Lattice& lattice, int z_begin, int z_end, int64_t* const* scores,
                  uint8_t* const* keep);
};

/// The kernels of the instruction set in use (common/instructions.h).
const Kernels& kernels();

}  // namespace forebear
