// Everything that depends on the compiler, the processor or the operating system.
#pragma once

#include <cstddef>
#include <cstdint>

#if defined(_MSC_VER) && !defined(__clang__)
#include <intrin.h>
#endif

namespace forebear {

// Internal linkage, and no calls into the standard library: the kernels include this header with
// different instruction sets. An inline function of the library compiled for a newer CPU must never
// be the copy that the linker keeps for all.
namespace {

[[maybe_unused]] inline int trailing_zeros(uint32_t x) {
#if defined(__GNUC__) || defined(__clang__)
    return __builtin_ctz(x);
#else
    unsigned long place = 0;
    _BitScanForward(&place, x);
    return static_cast<int>(place);
#endif
}

[[maybe_unused]] inline int trailing_zeros(uint64_t x) {
#if defined(__GNUC__) || defined(__clang__)
    return __builtin_ctzll(x);
#else
    unsigned long place = 0;
    _BitScanForward64(&place, x);
    return static_cast<int>(place);
#endif
}

[[maybe_unused]] inline int count_ones(uint64_t x) {
#if defined(__GNUC__) || defined(__clang__)
    return __builtin_popcountll(x);
#else
    // Sums of adjacent bits, pairs and nibbles, since not every x86-64 has an instruction for it.
    x -= x >> 1 & 0x5555555555555555;
    x = (x & 0x3333333333333333) + (x >> 2 & 0x3333333333333333);
    x = (x + (x >> 4)) & 0x0F0F0F0F0F0F0F0F;
    return static_cast<int>(x * 0x0101010101010101 >> 56);
#endif
}

}  // namespace

/// Whether this CPU has the instructions that the AVX2 kernels are compiled for (CMakeLists.txt).
bool cpu_has_avx2();
/// Likewise for the AVX-512 kernels.
bool cpu_has_avx512();

/// Variables that several threads change are this far apart, so that the threads do not invalidate
/// each other's cache lines.
constexpr size_t kCacheLine = 64;

/// The size of a large page. A page fault takes longer than filling a small page, and the page
/// faults of several threads wait for each other.
constexpr size_t kLargePage = size_t{2} << 20;

/// Memory from the operating system, to which `unmap_pages` returns it at once; a heap may keep
/// freed memory. Memory of at least kLargePage is in large pages if the system supports them.
/// Throws std::bad_alloc.
void* map_pages(size_t bytes);
void unmap_pages(void* pages, size_t bytes);
/// Returns the whole pages in this range of mapped memory to the system. The addresses stay valid,
/// the contents are lost. Unlike unmap_pages, this does not make other threads wait.
void discard_pages(void* begin, size_t bytes);

}  // namespace forebear
