#define FOREBEAR_KERNELS kernels_avx2
#define FOREBEAR_SCANS scans_avx2
#include "scoring/count_avx2.inc"
#include "scoring/lanes_plain.inc"
#include "scoring/sums_plain.inc"
#include "search/vectors_avx2.inc"
// After what they use.
#include "scoring/kernels.inc"
#include "search/scan.inc"
