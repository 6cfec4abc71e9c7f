// Chooses the kernels that fit the CPU at hand.
#include <atomic>
#include <cstring>

#include "scoring/kernels.h"
#include "search/scan.h"

namespace forebear {

extern const Kernels kernels_baseline;
#ifdef FOREBEAR_X86
extern const Kernels kernels_avx2;
extern const Kernels kernels_avx512;
extern const ScanKernels scans_avx2;
extern const ScanKernels scans_avx512;
#endif
extern const ScanKernels scans_baseline;

namespace {

bool runs(const Kernels* candidate) {
#ifdef FOREBEAR_X86
    __builtin_cpu_init();
    if (candidate == &kernels_avx2)
        return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2") &&
               __builtin_cpu_supports("popcnt");
    if (candidate == &kernels_avx512)
        return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
               __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
               __builtin_cpu_supports("avx512vpopcntdq") && __builtin_cpu_supports("avx512vbmi") &&
               __builtin_cpu_supports("avx2");
#endif
    return candidate == &kernels_baseline;
}

const Kernels* const all_kernels[] = {
    &kernels_baseline,
#ifdef FOREBEAR_X86
    &kernels_avx2,
    &kernels_avx512,
#endif
};

const Kernels* best() {
    const Kernels* found = &kernels_baseline;
    for (const Kernels* candidate : all_kernels)
        if (runs(candidate)) found = candidate;
    return found;
}

std::atomic<const Kernels*>& chosen() {
    static std::atomic<const Kernels*> kernels{best()};
    return kernels;
}

}  // namespace

const Kernels& kernels() { return *chosen().load(std::memory_order_relaxed); }

const ScanKernels& scan_kernels() {
#ifdef FOREBEAR_X86
    if (&kernels() == &kernels_avx512) return scans_avx512;
    if (&kernels() == &kernels_avx2) return scans_avx2;
#endif
    return scans_baseline;
}

bool use_kernels(const char* name) {
    for (const Kernels* candidate : all_kernels)
        if (std::strcmp(candidate->name, name) == 0 && runs(candidate)) {
            chosen().store(candidate);
            return true;
        }
    return false;
}

const Kernels* available_kernels(int i) {
    for (const Kernels* candidate : all_kernels)
        if (runs(candidate) && i-- == 0) return candidate;
    return nullptr;
}

}  // namespace forebear
