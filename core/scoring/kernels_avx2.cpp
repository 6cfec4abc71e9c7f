#define FOREBEAR_KERNELS kernels_avx2
#define FOREBEAR_KERNELS_NAME "avx2"
#include "scoring/kernels.inc"
