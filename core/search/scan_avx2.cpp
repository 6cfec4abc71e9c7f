#define FOREBEAR_SCANS scans_avx2
#include "search/vectors_avx2.inc"
// After what it uses.
#include "search/scan.inc"
