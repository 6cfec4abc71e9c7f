#define FOREBEAR_SCANS scans_avx512
#define FOREBEAR_KERNELS_NAME "avx512"
#include "search/scan.inc"
