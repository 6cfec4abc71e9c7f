#define FOREBEAR_KERNELS kernels_avx512
#define FOREBEAR_KERNELS_NAME "avx512"
#include "scoring/kernels.inc"
