// Shared by the kernels of several forms: the attributes that select a form's instructions, and vector types.
#ifndef EARSHOT_FORMS_H
#define EARSHOT_FORMS_H

#include "CEarshotKernels.h"

#define INLINE static inline __attribute__((always_inline))

#if defined(__x86_64__)
#include <immintrin.h>
#define AVX2 __attribute__((target("avx2,fma,bmi,bmi2")))
#define AVX512 __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,avx512vnni,avx2,fma,bmi,bmi2")))
#endif

// A kernel without forms is compiled twice for x86-64: for the instructions of every such processor, and for AVX2 with
// fused products. The dynamic linker selects one, which the sanitizers do not support.
#if defined(__has_feature)
#if __has_feature(thread_sanitizer) || __has_feature(address_sanitizer) || __has_feature(memory_sanitizer)
#define SANITIZED 1
#endif
#endif
#if defined(__x86_64__) && defined(__GLIBC__) && !defined(SANITIZED)
#define CLONED __attribute__((target_clones("arch=x86-64-v3", "default")))
#else
#define CLONED
#endif

#endif
