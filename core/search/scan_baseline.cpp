#define FOREBEAR_SCANS scans_baseline
#define FOREBEAR_KERNELS_NAME "baseline"
#include "search/scan.inc"
