#define FOREBEAR_SCANS scans_avx512
#include "search/scan.inc"
