// Everything that depends on the compiler, the processor or the operating system.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

namespace forebear {

// Internal linkage, and no calls into the standard library where the compiler has builtins: the
// kernels include this header with different instruction sets. An inline function of the library
// compiled for a newer CPU must never be the copy that the linker keeps for all.
namespace {

[[maybe_unused]] inline int trailing_zeros(uint32_t x) {
#if defined(__GNUC__)
    return __builtin_ctz(x);
#else
    return std::countr_zero(x);
#endif
}

[[maybe_unused]] inline int trailing_zeros(uint64_t x) {
#if defined(__GNUC__)
    return __builtin_ctzll(x);
#else
    return std::countr_zero(x);
#endif
}

[[maybe_unused]] inline int count_ones(uint64_t x) {
#if defined(__GNUC__)
    return __builtin_popcountll(x);
#else
    return std::popcount(x);
#endif
}

}  // namespace

/// Whether this CPU has the instructions that the AVX2 kernels are compiled for (CMakeLists.txt).
bool cpu_has_avx2();
/// Likewise for the AVX-512 kernels.
bool cpu_has_avx512();

/// Variables that several threads change are this far apart, so that the threads do not wait for
/// each other's copy.
constexpr size_t kCacheLine = 64;

/// The size of a large page. A page fault takes longer than filling a small page, and page faults
/// of several threads wait for each other.
constexpr size_t kLargePage = size_t{2} << 20;

/// Memory straight from the operating system, returned to it by `unmap_pages` at once; a heap may
/// keep what is freed. Memory of at least kLargePage is in large pages where the system has them.
/// Throws std::bad_alloc.
void* map_pages(size_t bytes);
void unmap_pages(void* pages, size_t bytes);
/// Returns the whole pages in this part of mapped memory to the system. The addresses stay valid,
/// the contents are lost. Unlike unmap_pages, this does not make other threads wait.
void discard_pages(void* begin, size_t bytes);

}  // namespace forebear
