// The scans of ranked parent sets that the order search spends its time in,
// once per kind of CPU. Sets lie slot by slot (all first parents, all second
// ones, ...), so that one vector instruction looks at many sets at once.
#pragma once

#include <cstdint>

namespace forebear {

constexpr int kMaxSlots = 15;

/// One variable's sets: a row of ids per slot, unused places holding the pad.
template <class Id>
struct Slots {
    const Id* rows[kMaxSlots];
    int count;
};

/// Ids are bytes up to this many variables; what is left are pads and the like.
constexpr int kByteVariables = 254;
constexpr uint8_t kBytePad = 255;
constexpr uint16_t kWordPad = 65535;

/// What a variable is to the set that is looked for. Flags lie in a table by id; the pad's is
/// kFine.
enum Flag : uint8_t {
    kFine = 0,    ///< it precedes
    kWanted = 1,  ///< it does not precede, and a set that lacks just this one is looked for
    kBarred = 2,  ///< it does not precede
};

struct ScanKernels {
    /// The first rank in [from, end) whose members are all kFine, else end. With `must` >= 0,
    /// only sets that hold it count.
    int (*next_feasible8)(const Slots<uint8_t>& sets, int from, int end, const uint8_t* flags,
                          int must);
    int (*next_feasible16)(const Slots<uint16_t>& sets, int from, int end, const uint8_t* flags,
                           int n, int must);
    /// The first rank in [from, end) with exactly one member that is not kFine, and that one
    /// kWanted.
    int (*next_gain8)(const Slots<uint8_t>& sets, int from, int end, const uint8_t* flags,
                      int must);
    int (*next_gain16)(const Slots<uint16_t>& sets, int from, int end, const uint8_t* flags, int n,
                       int must);
    /// flags[v] = flag where places[v] > place, else kFine.
    void (*flag_after)(const int32_t* places, int n, int place, uint8_t flag, uint8_t* flags);
    /// Writes down where a row is not zero; returns how many such places there are.
    int (*nonzeros)(const int32_t* row, int n, int32_t* places);
};

/// Flags of bytes have 256 places; of words, n rounded up to whole vectors.
constexpr int kFlagPadding = 64;

const ScanKernels& scan_kernels();

}  // namespace forebear
