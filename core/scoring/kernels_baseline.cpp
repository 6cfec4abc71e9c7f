#define FOREBEAR_KERNELS kernels_baseline
#define FOREBEAR_KERNELS_NAME "baseline"
#include "scoring/kernels.inc"
