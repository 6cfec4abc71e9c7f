#define FOREBEAR_KERNELS kernels_avx2
#include "scoring/count_avx2.inc"
#include "scoring/lanes_plain.inc"
#include "scoring/sums_plain.inc"
// After what it uses.
#include "scoring/kernels.inc"
