// Functions that are compiled for several instruction sets, of which the program chooses one when it
// starts. For short kernels that need no dispatch of their own (see core/kernels/).
#pragma once

#include <cstddef>

// The choice needs a compiler and a C library that support it.
#if defined(__x86_64__) && defined(__GLIBC__) && defined(__GNUC__) && !defined(__clang__) && \
    !defined(__SANITIZE_ADDRESS__)
#define FOREBEAR_CLONES __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define FOREBEAR_CLONES
#endif
