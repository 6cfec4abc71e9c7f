#define FOREBEAR_KERNELS kernels_avx512
#include "scoring/kernels.inc"
