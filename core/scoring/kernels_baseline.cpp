#define FOREBEAR_KERNELS kernels_baseline
#include "scoring/count_plain.inc"
#include "scoring/lanes_plain.inc"
#include "scoring/sums_plain.inc"
// After what it uses.
#include "scoring/kernels.inc"
