// Parent sets slot by slot: all first parents, all second ones, ...
//
// No standard containers here (see common/platform.h).
#pragma once

#include <cstdint>

namespace forebear {

/// The most parents of a set; Packing (scoring/records.h) has the same limit.
constexpr int kMaxSlots = 15;

/// Ids are bytes up to this many variables, otherwise words. The largest value is the pad, which
/// fills unused slots.
constexpr int kByteVariables = 254;
constexpr uint8_t kBytePad = 255;
constexpr uint16_t kWordPad = 65535;

/// The parent sets of one variable: a row of ids per slot.
template <class Id>
struct Slots {
    const Id* rows[kMaxSlots];
    int count;
};

}  // namespace forebear
