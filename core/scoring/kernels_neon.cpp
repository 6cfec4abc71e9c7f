#define FOREBEAR_KERNELS kernels_neon
#include "scoring/count_neon.inc"
#include "scoring/lanes_neon.inc"
// NEON cannot gather: the sums are no faster by hand.
#include "scoring/sums_plain.inc"
// After what it uses.
#include "scoring/kernels.inc"
