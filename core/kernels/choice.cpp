// The kernels of the instruction set in use.
#include "common/instructions.h"
#include "kernels/kernels.h"

namespace forebear {

namespace {

const AllKernels& in_use() {
    switch (instructions()) {
#ifdef FOREBEAR_X86
        case Instructions::avx2: return kernels_avx2;
        case Instructions::avx512: return kernels_avx512;
#endif
#ifdef FOREBEAR_ARM
        case Instructions::neon: return kernels_neon;
#endif
        default: return kernels_baseline;
    }
}

}  // namespace

const Kernels& kernels() { return in_use().scoring; }
const ScanKernels& scan_kernels() { return in_use().scans; }

}  // namespace forebear
