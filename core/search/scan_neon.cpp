#define FOREBEAR_SCANS scans_neon
#include "search/vectors_neon.inc"
// After what it uses.
#include "search/scan.inc"
