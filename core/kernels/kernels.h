// All kernels of one instruction set: baseline.cpp, avx2.cpp, avx512.cpp and neon.cpp have one each.
#pragma once

#include "scoring/kernels.h"
#include "search/scan.h"

namespace forebear {

struct AllKernels {
    const char* name;
    bool (*can_run)();
    Kernels scoring;
    ScanKernels scans;
};

// FOREBEAR_X86 and FOREBEAR_ARM are set for those that are compiled (core/kernels/kernels.cmake).
extern const AllKernels kernels_baseline, kernels_avx2, kernels_avx512, kernels_neon;

}  // namespace forebear
