#include "Polyphase.h"

typedef float Eight __attribute__((vector_size(32), aligned(4)));
typedef float Sixteen __attribute__((vector_size(64), aligned(4)));

#define LOAD(pointer) (*(const Eight *)(pointer))
#define LOAD_SIXTEEN(pointer) (*(const Sixteen *)(pointer))

// Helpers take and return vectors through pointers: the calling conventions for vector values differ between the forms.

/// The sum of each of eight vectors, in one vector.
INLINE void add_lanes(const Eight v[8], Eight *sums) {
    Eight pairs[4], fours[2];
    for (int i = 0; i < 4; i++) {
        Eight a = v[2 * i], b = v[2 * i + 1];
        pairs[i] = __builtin_shufflevector(a, b, 0, 8, 2, 10, 4, 12, 6, 14)
            + __builtin_shufflevector(a, b, 1, 9, 3, 11, 5, 13, 7, 15);
    }
    for (int i = 0; i < 2; i++) {
        Eight a = pairs[2 * i], b = pairs[2 * i + 1];
        fours[i] = __builtin_shufflevector(a, b, 0, 1, 8, 9, 4, 5, 12, 13)
            + __builtin_shufflevector(a, b, 2, 3, 10, 11, 6, 7, 14, 15);
    }
    *sums = __builtin_shufflevector(fours[0], fours[1], 0, 1, 2, 3, 8, 9, 10, 11)
        + __builtin_shufflevector(fours[0], fours[1], 4, 5, 6, 7, 12, 13, 14, 15);
}

/// Four outputs at a time: eight sums hide the latency of a fused product.
INLINE void four_outputs(const float *const x[4], const float *const taps[4], size_t tap_count, Eight *outputs) {
    Eight sums[8] = {0};
    for (size_t k = 0; k < tap_count; k += 8) {
        for (int i = 0; i < 4; i++) {
            Eight input = LOAD(x[i] + k);
            sums[2 * i] += input * LOAD(taps[i] + k);
            sums[2 * i + 1] += input * LOAD(taps[i] + tap_count + k);
        }
    }
    add_lanes(sums, outputs);
}

/// The same with vectors of sixteen.
INLINE void four_outputs_of_sixteen(
    const float *const x[4], const float *const taps[4], size_t tap_count, Eight *outputs) {
    Sixteen sums[8] = {0};
    for (size_t k = 0; k < tap_count; k += 16) {
        for (int i = 0; i < 4; i++) {
            Sixteen input = LOAD_SIXTEEN(x[i] + k);
            sums[2 * i] += input * LOAD_SIXTEEN(taps[i] + k);
            sums[2 * i + 1] += input * LOAD_SIXTEEN(taps[i] + tap_count + k);
        }
    }
    Eight halves[8];
    for (int i = 0; i < 8; i++) {
        halves[i] = __builtin_shufflevector(sums[i], sums[i], 0, 1, 2, 3, 4, 5, 6, 7)
            + __builtin_shufflevector(sums[i], sums[i], 8, 9, 10, 11, 12, 13, 14, 15);
    }
    add_lanes(halves, outputs);
}

INLINE void filter_of(
    const struct earshot_polyphase *filter, int is_wide, const float *restrict x, const float *restrict taps,
    size_t phase, const float *restrict rotations, size_t rotation, float *restrict y, size_t count) {
    struct walk walk = begin_walk(filter, phase, rotation);
    size_t whole = filter->advance / filter->phase_count, part = filter->advance % filter->phase_count;
    for (size_t done = 0; done < count; done += 4) {
        size_t present = count - done < 4 ? count - done : 4, firsts[4], places[4];
        next_outputs(filter, whole, part, &walk, present, 4, firsts, places);
        const float *inputs[4], *rows[4];
        for (int i = 0; i < 4; i++) {
            inputs[i] = x + firsts[i];
            rows[i] = taps + places[i];
        }
        // If all outputs share one row of taps, it is loaded once.
        const float *const same[4] = {taps, taps, taps, taps};
        Eight sums;
        if (is_wide) {
            if (filter->phase_count == 1) {
                four_outputs_of_sixteen(inputs, same, filter->tap_count, &sums);
            } else {
                four_outputs_of_sixteen(inputs, rows, filter->tap_count, &sums);
            }
        } else if (filter->phase_count == 1) {
            four_outputs(inputs, same, filter->tap_count, &sums);
        } else {
            four_outputs(inputs, rows, filter->tap_count, &sums);
        }
        Eight turn = LOAD(rotations + 2 * walk.rotation);
        Eight real = __builtin_shufflevector(sums, sums, 0, 0, 2, 2, 4, 4, 6, 6);
        Eight imaginary = __builtin_shufflevector(sums, sums, 1, 1, 3, 3, 5, 5, 7, 7);
        Eight across = __builtin_shufflevector(turn, turn, 1, 0, 3, 2, 5, 4, 7, 6);
        const Eight signs = {-1, 1, -1, 1, -1, 1, -1, 1};
        Eight product = real * turn + signs * (imaginary * across);
        if (present == 4) {
            *(Eight *)(y + 2 * done) = product;
        } else {
            for (size_t i = 0; i < 2 * present; i++) {
                y[2 * done + i] = product[i];
            }
        }
        next_rotations(filter, &walk, present);
    }
}

#define FORM(name, is_wide) \
    static void name( \
        const struct earshot_polyphase *filter, const float *x, const float *taps, size_t phase, const float *rotations, \
        size_t rotation, float *y, size_t count) { \
        filter_of(filter, is_wide, x, taps, phase, rotations, rotation, y, count); \
    }

FORM(filter_plain, 0)
#if defined(__x86_64__)
AVX2 FORM(filter_avx2, 0)
AVX512 FORM(filter_avx512, 1)
#endif

void earshot_filter_floats(
    int form, const struct earshot_polyphase *filter, const float *x, const float *taps, size_t phase,
    const float *rotations, size_t rotation, float *y, size_t count) {
    switch (form) {
#if defined(__x86_64__)
    case EARSHOT_AVX512:
        return filter_avx512(filter, x, taps, phase, rotations, rotation, y, count);
    case EARSHOT_AVX2:
        return filter_avx2(filter, x, taps, phase, rotations, rotation, y, count);
#endif
    default:
        return filter_plain(filter, x, taps, phase, rotations, rotation, y, count);
    }
}
