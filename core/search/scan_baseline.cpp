#define FOREBEAR_SCANS scans_baseline
#include "search/vectors_plain.inc"
// After what it uses.
#include "search/scan.inc"
