#define FOREBEAR_KERNELS kernels_neon
#include "scoring/count_neon.inc"
#include "scoring/lanes_neon.inc"
// After what it uses.
#include "scoring/kernels.inc"
