// The checksum of native files.
#pragma once

#include <cstddef>
#include <cstdint>

namespace forebear {

/// XXH64 (Collet, https://github.com/Cyan4973/xxHash), seed 0: as fast as memory is read.
uint64_t xxh64(const uint8_t* data, size_t size);

}  // namespace forebear
