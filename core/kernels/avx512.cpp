#define FOREBEAR_KERNELS kernels_avx512
#define FOREBEAR_SCANS scans_avx512
#include "scoring/count_avx512.inc"
#include "scoring/lanes_avx512.inc"
#include "scoring/sums_avx512.inc"
#include "search/vectors_avx512.inc"
// After what they use.
#include "scoring/kernels.inc"
#include "search/scan.inc"
