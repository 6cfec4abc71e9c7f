#define FOREBEAR_SCANS scans_avx2
#include "search/scan.inc"
