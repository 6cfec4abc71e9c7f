#include "common/platform.h"

#include <new>

#if defined(__unix__) || defined(__APPLE__)
#define FOREBEAR_POSIX
#include <sys/mman.h>
#include <unistd.h>
#endif

namespace forebear {

// FOREBEAR_X86 is defined only for compilers that build the x86 kernels (CMakeLists.txt).
#if defined(FOREBEAR_X86) && defined(__GNUC__)

bool cpu_has_avx2() {
    __builtin_cpu_init();
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2") &&
           __builtin_cpu_supports("popcnt");
}

bool cpu_has_avx512() {
    return cpu_has_avx2() && __builtin_cpu_supports("avx512f") &&
           __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512vpopcntdq") &&
           __builtin_cpu_supports("avx512vbmi");
}

#else

bool cpu_has_avx2() { return false; }
bool cpu_has_avx512() { return false; }

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
