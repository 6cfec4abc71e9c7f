#include "scoring/kernels.h"

#include "common/instructions.h"

namespace forebear {

extern const Kernels kernels_baseline;
#ifdef FOREBEAR_X86
extern const Kernels kernels_avx2;
extern const Kernels kernels_avx512;
#endif
#ifdef FOREBEAR_ARM
extern const Kernels kernels_neon;
#endif

const Kernels& kernels() {
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

}  // namespace forebear
