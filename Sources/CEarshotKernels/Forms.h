// What the kernels of several forms share: the attributes that choose a form's instructions, and vector types.
#ifndef EARSHOT_FORMS_H
#define EARSHOT_FORMS_H

#include "CEarshotKernels.h"

#define INLINE static inline __attribute__((always_inline))

#if defined(__x86_64__)
#include <immintrin.h>
#define AVX2 __attribute__((target("avx2,fma,bmi,bmi2")))
#define AVX512 __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,avx512vnni,avx2,fma,bmi,bmi2")))
#endif

#endif
