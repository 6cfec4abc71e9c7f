#include "common/platform.h"

#include <new>

#if defined(__unix__) || defined(__APPLE__)
#define FOREBEAR_POSIX
#include <sys/mman.h>
#include <unistd.h>
#elif defined(_MSC_VER)
#include <intrin.h>
#endif

namespace forebear {

// FOREBEAR_X86 is set where the kernels for it are built (core/kernels/kernels.cmake).
#if defined(FOREBEAR_X86) && defined(_MSC_VER)

namespace {

/// Leaf 7 of CPUID; zero unless the operating system saves the registers of `state` (a mask of
/// XCR0) for each program.
struct Features {
    explicit Features(unsigned state) {
        int registers[4];
        __cpuid(registers, 1);
        const auto basic = static_cast<unsigned>(registers[2]);
        constexpr unsigned kPopcount = 1u << 23, kSavedByTheSystem = 1u << 27;
        if (!(basic & kPopcount) || !(basic & kSavedByTheSystem)) return;
        if ((_xgetbv(0) & state) != state) return;
        __cpuidex(registers, 7, 0);
        b = static_cast<unsigned>(registers[1]);
        c = static_cast<unsigned>(registers[2]);
    }
    unsigned b = 0, c = 0;
};

// Bits of leaf 7.
constexpr unsigned kBmi = 1u << 3, kAvx2 = 1u << 5, kBmi2 = 1u << 8;
constexpr unsigned kAvx512f = 1u << 16, kDq = 1u << 17, kBw = 1u << 30, kVl = 1u << 31;
constexpr unsigned kVbmi = 1u << 1, kVpopcntdq = 1u << 14;

bool has_all(unsigned features, unsigned bits) { return (features & bits) == bits; }

}  // namespace

bool cpu_has_avx2() {
    const Features features(0x06);  // the registers of SSE and AVX
    return has_all(features.b, kBmi | kAvx2 | kBmi2);
}

bool cpu_has_avx512() {
    const Features features(0xE6);  // and those of AVX-512
    return cpu_has_avx2() && has_all(features.b, kAvx512f | kDq | kBw | kVl) &&
           has_all(features.c, kVbmi | kVpopcntdq);
}

#elif defined(FOREBEAR_X86)

bool cpu_has_avx2() {
    __builtin_cpu_init();
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") &&
           __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("popcnt");
}

bool cpu_has_avx512() {
    return cpu_has_avx2() && __builtin_cpu_supports("avx512f") &&
           __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512vpopcntdq") &&
           __builtin_cpu_supports("avx512vbmi");
}

#endif

#if defined(FOREBEAR_POSIX)

void* map_pages(size_t bytes) {
    void* const pages =
        mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (pages == MAP_FAILED) throw std::bad_alloc();
#if defined(MADV_HUGEPAGE)
    if (bytes >= kLargePage) madvise(pages, bytes, MADV_HUGEPAGE);
#endif
    return pages;
}

void unmap_pages(void* pages, size_t bytes) { munmap(pages, bytes); }

void discard_pages(void* begin, size_t bytes) {
    static const auto page = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
    const auto at = reinterpret_cast<uintptr_t>(begin);
    const uintptr_t first = (at + page - 1) / page * page, last = (at + bytes) / page * page;
    if (first < last) madvise(reinterpret_cast<void*>(first), last - first, MADV_DONTNEED);
}

#else

void* map_pages(size_t bytes) { return ::operator new(bytes); }

void unmap_pages(void* pages, size_t) { ::operator delete(pages); }

void discard_pages(void*, size_t) {}

#endif

}  // namespace forebear
