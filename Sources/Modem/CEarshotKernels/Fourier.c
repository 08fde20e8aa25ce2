#include "Forms.h"

#include <string.h>

// Stockham's transform of radix 4: log₄ N stages. Each reads one array and writes another, in an order that makes the
// last one sorted. In the stage that has transforms of n points left, s = N/n apart,
//
//     y[s·(4p + m) + q] = e^{−j2πmp/n} · Σᵢ (−j)^{im}·x[s·(p + i·n/4) + q],   p = 0 ..< n/4,  q = 0 ..< s,  i, m = 0 ..< 4
//
// If N is not a power of four, a stage of radix 2 follows.

/// Four complex numbers.
typedef float Eight __attribute__((vector_size(32), aligned(4)));

#define LOAD(pointer) (*(const Eight *)(pointer))
#define STORE(pointer, value) (*(Eight *)(pointer) = (value))
#define PARTS_SWAPPED(v) __builtin_shufflevector(v, v, 1, 0, 3, 2, 5, 4, 7, 6)
#define REAL_PARTS(v) __builtin_shufflevector(v, v, 0, 0, 2, 2, 4, 4, 6, 6)
#define IMAGINARY_PARTS(v) __builtin_shufflevector(v, v, 1, 1, 3, 3, 5, 5, 7, 7)

/// The signs of (y, x) in −j·(x + jy), and, for the inverse, in +j·(x + jy).
static const Eight forward_signs = {1, -1, 1, -1, 1, -1, 1, -1};

/// z[m] = Σᵢ (−j)^{im}·z[i].
INLINE void four_points(Eight z[4], const Eight *signs) {
    Eight sum02 = z[0] + z[2], difference02 = z[0] - z[2];
    Eight sum13 = z[1] + z[3], difference13 = z[1] - z[3];
    Eight turned = PARTS_SWAPPED(difference13) * *signs;
    z[0] = sum02 + sum13;
    z[1] = difference02 + turned;
    z[2] = sum02 - sum13;
    z[3] = difference02 - turned;
}

/// z becomes z·w, or z·w* for the inverse.
INLINE void turn(Eight *z, const Eight *real, const Eight *imaginary, const Eight *signs) {
    *z = *z * *real - PARTS_SWAPPED(*z) * (*imaginary * *signs);
}

/// The first stage, s = 1, four p at a time.
INLINE void first_stage(const float *x, size_t length, const float *factors, const Eight *signs, float *y) {
    size_t quarter = length / 4;
    for (size_t p = 0; p < quarter; p += 4) {
        Eight z[4];
        for (size_t i = 0; i < 4; i++) {
            z[i] = LOAD(x + 2 * (p + i * quarter));
        }
        four_points(z, signs);
        for (size_t m = 1; m < 4; m++) {
            Eight w = LOAD(factors + 2 * ((m - 1) * quarter + p));
            Eight real = REAL_PARTS(w), imaginary = IMAGINARY_PARTS(w);
            turn(&z[m], &real, &imaginary, signs);
        }
        // The four m of one p are adjacent in y.
        Eight even01 = __builtin_shufflevector(z[0], z[1], 0, 1, 8, 9, 4, 5, 12, 13);
        Eight odd01 = __builtin_shufflevector(z[0], z[1], 2, 3, 10, 11, 6, 7, 14, 15);
        Eight even23 = __builtin_shufflevector(z[2], z[3], 0, 1, 8, 9, 4, 5, 12, 13);
        Eight odd23 = __builtin_shufflevector(z[2], z[3], 2, 3, 10, 11, 6, 7, 14, 15);
        float *to = y + 8 * p;
        STORE(to, __builtin_shufflevector(even01, even23, 0, 1, 2, 3, 8, 9, 10, 11));
        STORE(to + 8, __builtin_shufflevector(odd01, odd23, 0, 1, 2, 3, 8, 9, 10, 11));
        STORE(to + 16, __builtin_shufflevector(even01, even23, 4, 5, 6, 7, 12, 13, 14, 15));
        STORE(to + 24, __builtin_shufflevector(odd01, odd23, 4, 5, 6, 7, 12, 13, 14, 15));
    }
}

/// A later stage, four q at a time: s is a multiple of 4.
INLINE void later_stage(const float *x, size_t n, size_t s, const float *factors, const Eight *signs, float *y) {
    size_t quarter = n / 4;
    for (size_t p = 0; p < quarter; p++) {
        Eight real[3], imaginary[3];
        for (size_t m = 0; m < 3; m++) {
            const float *w = factors + 2 * (m * quarter + p);
            real[m] = (Eight){0} + w[0];
            imaginary[m] = (Eight){0} + w[1];
        }
        for (size_t q = 0; q < s; q += 4) {
            Eight z[4];
            for (size_t i = 0; i < 4; i++) {
                z[i] = LOAD(x + 2 * (s * (p + i * quarter) + q));
            }
            four_points(z, signs);
            // The factors of p = 0 are 1: the last stage has no others.
            for (size_t m = 1; m < 4 && p > 0; m++) {
                turn(&z[m], &real[m - 1], &imaginary[m - 1], signs);
            }
            for (size_t m = 0; m < 4; m++) {
                STORE(y + 2 * (s * (4 * p + m) + q), z[m]);
            }
        }
    }
}

/// Any stage of radix 4 of a transform that is too short for vectors.
INLINE void short_stage(const float *x, size_t n, size_t s, const float *factors, float sign, float *y) {
    size_t quarter = n / 4;
    for (size_t p = 0; p < quarter; p++) {
        for (size_t q = 0; q < s; q++) {
            const float *z[4];
            for (size_t i = 0; i < 4; i++) {
                z[i] = x + 2 * (s * (p + i * quarter) + q);
            }
            for (size_t m = 0; m < 4; m++) {
                // (−j)^m is the real c or the imaginary −j·c.
                float c = m < 2 ? 1 : -1, even = m % 2 ? -1 : 1;
                float a = z[0][0] + even * z[2][0], b = z[0][1] + even * z[2][1];
                float d = c * (z[1][0] + even * z[3][0]), e = c * (z[1][1] + even * z[3][1]);
                float real = m % 2 ? a + sign * e : a + d;
                float imaginary = m % 2 ? b - sign * d : b + e;
                float *to = y + 2 * (s * (4 * p + m) + q);
                if (m == 0) {
                    to[0] = real;
                    to[1] = imaginary;
                    continue;
                }
                const float *w = factors + 2 * ((m - 1) * quarter + p);
                to[0] = real * w[0] - imaginary * (sign * w[1]);
                to[1] = imaginary * w[0] + real * (sign * w[1]);
            }
        }
    }
}

/// The stage of radix 2: y[q] = x[q] + x[q + N/2], y[q + N/2] = x[q] − x[q + N/2].
INLINE void last_stage(const float *restrict x, size_t length, float *restrict y) {
    for (size_t i = 0; i < length; i++) {
        y[i] = x[i] + x[i + length];
        y[i + length] = x[i] - x[i + length];
    }
}

size_t earshot_transform_factor_count(size_t length) {
    size_t count = 0;
    for (size_t n = length; n >= 4; n /= 4) {
        count += n / 4 * 3;
    }
    return count;
}

CLONED void earshot_transform(
    const float *x, size_t length, const float *factors, int is_inverse, float *work, float *y) {
    enum { SHORTEST_OF_VECTORS = 16 };
    const Eight signs = is_inverse ? -forward_signs : forward_signs;
    if (length == 1) {
        memcpy(y, x, 2 * sizeof *x);
        return;
    }
    size_t stage_count = 0;
    for (size_t n = length; n > 1; n /= n >= 4 ? 4 : 2) {
        stage_count++;
    }
    const float *from = x;
    for (size_t n = length, s = 1; n > 1; stage_count--) {
        // So that the last stage writes y.
        float *to = stage_count % 2 ? y : work;
        if (n == 2) {
            last_stage(from, length, to);
        } else if (length < SHORTEST_OF_VECTORS) {
            short_stage(from, n, s, factors, is_inverse ? -1 : 1, to);
        } else if (s == 1) {
            first_stage(from, length, factors, &signs, to);
        } else {
            later_stage(from, n, s, factors, &signs, to);
        }
        factors += n / 4 * 6;
        s *= 4;
        n = n == 2 ? 1 : n / 4;
        from = to;
    }
}
