#define FOREBEAR_SCANS scans_avx2
#define FOREBEAR_KERNELS_NAME "avx2"
#include "search/scan.inc"
