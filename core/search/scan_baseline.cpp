#define FOREBEAR_SCANS scans_baseline
#include "search/scan.inc"
