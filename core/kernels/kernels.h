// All kernels of one instruction set. Each of baseline, avx2, avx512 and neon.cpp defines one.
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

// FOREBEAR_X86 and FOREBEAR_ARM tell which of them are compiled (core/kernels/kernels.cmake).
extern const AllKernels kernels_baseline, kernels_avx2, kernels_avx512, kernels_neon;

}  // namespace forebear
