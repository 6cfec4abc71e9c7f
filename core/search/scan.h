// The scans of ranked parent sets, which are the inner loops of the search, compiled once per
// instruction set.
//
// Sets are stored slot by slot (common/slots.h), so that one vector instruction handles many sets.
#pragma once

#include <cstdint>

#include "common/slots.h"

namespace forebear {

/// The role of a variable in a scan. Flags are in a table by variable; padding counts as kFine.
enum Flag : uint8_t {
    kFine = 0,    ///< it may be a parent
    kWanted = 1,  ///< it may not be a parent; next_gain finds sets where it is the only such member
    kBarred = 2,  ///< it may not be a parent
};

struct ScanKernels {
    /// The first rank in [from, end) whose members are all kFine; `end` if there is none. With
    /// `must` >= 0, only sets that contain this variable count.
    int (*next_feasible8)(const Slots<uint8_t>& sets, int from, int end, const uint8_t* flags, int n,
                          int must);
    int (*next_feasible16)(const Slots<uint16_t>& sets, int from, int end, const uint8_t* flags,
                           int n, int must);
    /// The first rank in [from, end) with exactly one member that is not kFine, and that one
    /// kWanted.
    int (*next_gain8)(const Slots<uint8_t>& sets, int from, int end, const uint8_t* flags, int n,
                      int must);
    int (*next_gain16)(const Slots<uint16_t>& sets, int from, int end, const uint8_t* flags, int n,
                       int must);
    /// flags[v] = flag where places[v] > place, else kFine.
    void (*flag_after)(const int32_t* places, int n, int place, uint8_t flag, uint8_t* flags);
    /// Writes the places where a row is not zero. Returns their number.
    int (*nonzeros)(const int32_t* row, int n, int32_t* places);
};

/// A table of flags has at least 256 entries, and this many beyond the last variable, because the
/// kernels read whole vectors.
constexpr int kFlagPadding = 64;

const ScanKernels& scan_kernels();

}  // namespace forebear
