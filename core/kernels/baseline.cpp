#define FOREBEAR_KERNELS kernels_baseline
#define FOREBEAR_SCANS scans_baseline
#include "scoring/count_plain.inc"
#include "scoring/lanes_plain.inc"
#include "scoring/sums_plain.inc"
#include "search/vectors_plain.inc"
// After what they use.
#include "scoring/kernels.inc"
#include "search/scan.inc"
