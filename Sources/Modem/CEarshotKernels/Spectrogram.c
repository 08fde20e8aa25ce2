#include "Forms.h"

#include <string.h>

// A vector holds one point or bin of as many rows as it has lanes. The rows of a block overlap by three quarters, so they
// are the columns of one transposed matrix, and a tone's quarter symbol costs one pass through it.

enum {
    ROW_COUNT = EARSHOT_BLOCK_ROW_COUNT,
    // A quarter of a row; a block begins three quarters before its last row.
    COLUMN_COUNT = ROW_COUNT + 3,
    COLUMN_STRIDE = ROW_COUNT + 4,
    MAXIMUM_QUARTER = EARSHOT_MAXIMUM_WINDOW / 4,
};

typedef float Four __attribute__((vector_size(16), aligned(4)));
typedef float Sixteen __attribute__((vector_size(64), aligned(4)));
typedef int32_t SixteenIntegers __attribute__((vector_size(64), aligned(4)));

/// real[b][a] + j·imaginary[b][a] = x[a·length + b],  a in 0 ..< count, b in 0 ..< width, by squares of four; rows of the
/// result are stride apart.
INLINE void transpose_squares(
    const float *restrict x, size_t length, size_t count, size_t width, size_t stride, float *restrict real,
    float *restrict imaginary) {
    for (size_t i = 0; i < count; i += 4) {
        // The last square may overlap the previous one.
        size_t a = i + 4 <= count ? i : count - 4;
        const float *rows = x + 2 * a * length;
        for (size_t b = 0; b < width; b += 2) {
            Four v0 = *(const Four *)(rows + 2 * b), v1 = *(const Four *)(rows + 2 * (length + b));
            Four v2 = *(const Four *)(rows + 2 * (2 * length + b)), v3 = *(const Four *)(rows + 2 * (3 * length + b));
            Four low01 = __builtin_shufflevector(v0, v1, 0, 4, 1, 5), high01 = __builtin_shufflevector(v0, v1, 2, 6, 3, 7);
            Four low23 = __builtin_shufflevector(v2, v3, 0, 4, 1, 5), high23 = __builtin_shufflevector(v2, v3, 2, 6, 3, 7);
            float *re = real + b * stride + a, *im = imaginary + b * stride + a;
            *(Four *)re = __builtin_shufflevector(low01, low23, 0, 1, 4, 5);
            *(Four *)im = __builtin_shufflevector(low01, low23, 2, 3, 6, 7);
            *(Four *)(re + stride) = __builtin_shufflevector(high01, high23, 0, 1, 4, 5);
            *(Four *)(im + stride) = __builtin_shufflevector(high01, high23, 2, 3, 6, 7);
        }
    }
}

/// log2 by the parabola of fastLog2.
INLINE void logarithms(const Sixteen *x, Sixteen *y) {
    SixteenIntegers bits;
    memcpy(&bits, x, sizeof bits);
    SixteenIntegers mantissa_bits = (bits & 0x007FFFFF) | 0x3F800000;
    Sixteen t;
    memcpy(&t, &mantissa_bits, sizeof t);
    t -= 1;
    *y = __builtin_convertvector((bits >> 23) - 127, Sixteen) + t * (1.3465f - 0.3465f * t);
}

/// The sum of each of sixteen vectors, in one vector.
INLINE void add_lanes(Sixteen v[16], Sixteen *sums) {
    // Each round halves the number of vectors and the number of lanes that belong together.
    for (int i = 0; i < 8; i++) {
        Sixteen a = v[i], b = v[i + 8];
        v[i] = __builtin_shufflevector(a, b, 0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23)
            + __builtin_shufflevector(a, b, 8, 9, 10, 11, 12, 13, 14, 15, 24, 25, 26, 27, 28, 29, 30, 31);
    }
    for (int i = 0; i < 4; i++) {
        Sixteen a = v[i], b = v[i + 4];
        v[i] = __builtin_shufflevector(a, b, 0, 1, 2, 3, 16, 17, 18, 19, 8, 9, 10, 11, 24, 25, 26, 27)
            + __builtin_shufflevector(a, b, 4, 5, 6, 7, 20, 21, 22, 23, 12, 13, 14, 15, 28, 29, 30, 31);
    }
    for (int i = 0; i < 2; i++) {
        Sixteen a = v[i], b = v[i + 2];
        v[i] = __builtin_shufflevector(a, b, 0, 1, 16, 17, 4, 5, 20, 21, 8, 9, 24, 25, 12, 13, 28, 29)
            + __builtin_shufflevector(a, b, 2, 3, 18, 19, 6, 7, 22, 23, 10, 11, 26, 27, 14, 15, 30, 31);
    }
    *sums = __builtin_shufflevector(v[0], v[1], 0, 16, 2, 18, 4, 20, 6, 22, 8, 24, 10, 26, 12, 28, 14, 30)
        + __builtin_shufflevector(v[0], v[1], 1, 17, 3, 19, 5, 21, 7, 23, 9, 25, 11, 27, 13, 29, 15, 31);
}

#define FORM plain
#define LANES 4
#define TARGET
#include "SpectrogramForm.h"
#undef FORM
#undef LANES
#undef TARGET

#if defined(__x86_64__)
#define FORM avx2
#define LANES 8
#define TARGET AVX2
#include "SpectrogramForm.h"
#undef FORM
#undef LANES
#undef TARGET

#define FORM avx512
#define LANES 16
#define TARGET AVX512
#include "SpectrogramForm.h"
#undef FORM
#undef LANES
#undef TARGET

#define CALL(form, function, ...) \
    switch (form) { \
    case EARSHOT_AVX512: \
        return function##_avx512(__VA_ARGS__); \
    case EARSHOT_AVX2: \
        return function##_avx2(__VA_ARGS__); \
    default: \
        return function##_plain(__VA_ARGS__); \
    }
#else
#define CALL(form, function, ...) \
    (void)form; \
    function##_plain(__VA_ARGS__)
#endif

void earshot_block_energies(
    int form, const struct earshot_spectrogram *spectrogram, const float *turns, const float *x, float *energies) {
    CALL(form, make_energies, spectrogram, turns, x, energies);
}

void earshot_tone_energies(
    int form, size_t window, const float *turns, const float *x, const float *scales, float *y) {
    // Eight symbols fill no vector of sixteen.
    int eight = form > EARSHOT_AVX2 ? EARSHOT_AVX2 : form;
    switch (eight) {
#if defined(__x86_64__)
    case EARSHOT_AVX2:
        return tone_energies_avx2(window, turns, x, scales, y);
#endif
    default:
        return tone_energies_plain(window, turns, x, scales, y);
    }
}

void earshot_block_sums(
    int form, const float *energies, size_t bin_count, const float *scales, const float *weights, float minimum,
    float *logs, float *means, float *row_logs, float *row_means) {
    CALL(form, sum_energies, energies, bin_count, scales, weights, minimum, logs, means, row_logs, row_means);
}

void earshot_block_saturate(
    int form, const float *energies, size_t bin_count, const float *inverse, float c, float *cells, size_t stride) {
    CALL(form, saturate, energies, bin_count, inverse, c, cells, stride);
}

void earshot_block_patterns(
    int form, const float *cells, const ptrdiff_t firsts[8], size_t stride, size_t offset_count, float *sums,
    size_t sum_stride, float *maxima) {
    CALL(form, sum_patterns, cells, firsts, stride, offset_count, sums, sum_stride, maxima);
}

void earshot_block_drifts(
    int form, const float *cells, const ptrdiff_t firsts[8], size_t stride, size_t offset_count, size_t reach, size_t step,
    float extra, float *groups, float *sums, size_t sum_stride, float *maxima) {
    CALL(form, sum_drifts, cells, firsts, stride, offset_count, reach, step, extra, groups, sums, sum_stride, maxima);
}
