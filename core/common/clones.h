// FOREBEAR_CLONES compiles a function for several instruction sets; the program chooses one version
// when it starts. For short kernels; others have their own dispatch (see core/kernels/).
#pragma once

#include <cstddef>

// It requires support by the compiler and the C library.
#if defined(__x86_64__) && defined(__GLIBC__) && defined(__GNUC__) && !defined(__clang__) && \
    !defined(__SANITIZE_ADDRESS__)
#define FOREBEAR_CLONES __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define FOREBEAR_CLONES
#endif
