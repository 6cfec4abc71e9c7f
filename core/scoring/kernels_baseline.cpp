#define FOREBEAR_KERNELS kernels_baseline
#include "scoring/kernels.inc"
