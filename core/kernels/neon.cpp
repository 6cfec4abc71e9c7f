#define FOREBEAR_KERNELS kernels_neon
#define FOREBEAR_SCANS scans_neon
#include "scoring/count_neon.inc"
#include "scoring/lanes_neon.inc"
// NEON cannot gather: the sums are no faster by hand.
#include "scoring/sums_plain.inc"
#include "search/vectors_neon.inc"
// After what they use.
#include "scoring/kernels.inc"
#include "search/scan.inc"
