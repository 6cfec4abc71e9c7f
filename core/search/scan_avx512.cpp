#define FOREBEAR_SCANS scans_avx512
#include "search/vectors_avx512.inc"
// After what it uses.
#include "search/scan.inc"
