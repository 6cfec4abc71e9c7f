#define FOREBEAR_KERNELS kernels_avx2
#include "scoring/kernels.inc"
