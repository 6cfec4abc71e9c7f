#include "search/scan.h"

#include "common/instructions.h"

namespace forebear {

extern const ScanKernels scans_baseline;
#ifdef FOREBEAR_X86
extern const ScanKernels scans_avx2;
extern const ScanKernels scans_avx512;
#endif
#ifdef FOREBEAR_ARM
extern const ScanKernels scans_neon;
#endif

const ScanKernels& scan_kernels() {
    switch (instructions()) {
#ifdef FOREBEAR_X86
        case Instructions::avx2: return scans_avx2;
        case Instructions::avx512: return scans_avx512;
#endif
#ifdef FOREBEAR_ARM
        case Instructions::neon: return scans_neon;
#endif
        default: return scans_baseline;
    }
}

}  // namespace forebear
