#include "kernels/choice.h"

#include <atomic>

#include "kernels/kernels.h"

namespace forebear {

namespace {

constexpr const AllKernels* kCompiled[] = {
    &kernels_baseline,
#ifdef FOREBEAR_X86
    &kernels_avx2,     &kernels_avx512,
#endif
#ifdef FOREBEAR_ARM
    &kernels_neon,
#endif
};

std::atomic<const AllKernels*>& in_use() {
    static std::atomic<const AllKernels*> chosen{[] {
        const AllKernels* best = nullptr;
        for (const AllKernels* each : kCompiled)
            if (each->can_run()) best = each;
        return best;
    }()};
    return chosen;
}

const AllKernels& chosen() { return *in_use().load(std::memory_order_relaxed); }

}  // namespace

const Kernels& kernels() { return chosen().scoring; }
const ScanKernels& scan_kernels() { return chosen().scans; }
std::string kernels_name() { return chosen().name; }

bool use_kernels(std::string_view name) {
    for (const AllKernels* each : kCompiled)
        if (each->name == name && each->can_run()) {
            in_use().store(each);
            return true;
        }
    return false;
}

std::vector<std::string> available_kernels() {
    std::vector<std::string> names;
    for (const AllKernels* each : kCompiled)
        if (each->can_run()) names.emplace_back(each->name);
    return names;
}

}  // namespace forebear
