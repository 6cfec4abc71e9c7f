#define FOREBEAR_KERNELS kernels_avx512
#include "scoring/count_avx512.inc"
#include "scoring/lanes_avx512.inc"
#include "scoring/sums_avx512.inc"
// After what it uses.
#include "scoring/kernels.inc"
