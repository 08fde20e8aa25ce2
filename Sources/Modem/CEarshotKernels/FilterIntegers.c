#include "Polyphase.h"

#include <string.h>

// Few floats follow the integer sums. Without fused products all forms round them alike.
#if defined(__clang__)
#pragma STDC FP_CONTRACT OFF
#else
#pragma GCC optimize("fp-contract=off")
#endif

typedef int16_t EightShorts __attribute__((vector_size(16), aligned(2)));
typedef int32_t EightIntegers __attribute__((vector_size(32), aligned(4)));

#define LOAD(pointer) (*(const EightShorts *)(pointer))

/// One of the two sums of an output, with plain vectors: a group's products stay in eight lanes.
INLINE float plain_sum(const int16_t *x, const int16_t *taps, size_t tap_count) {
    EightIntegers groups[4] = {{0}, {0}, {0}, {0}};
    for (size_t k = 0; k < tap_count; k += 32) {
        for (int group = 0; group < 4; group++) {
            groups[group] += __builtin_convertvector(LOAD(x + k + 8 * group), EightIntegers)
                * __builtin_convertvector(LOAD(taps + k + 8 * group), EightIntegers);
        }
    }
    float sums[4];
    for (int group = 0; group < 4; group++) {
        EightIntegers v = groups[group];
        sums[group] = (float)(((v[0] + v[1]) + (v[2] + v[3])) + ((v[4] + v[5]) + (v[6] + v[7])));
    }
    return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

static void filter_plain(
    const struct earshot_polyphase *filter, const int16_t *x, const int16_t *taps, size_t phase, const float *rotations,
    size_t rotation, float *y, size_t count) {
    struct walk walk = begin_walk(filter, phase, rotation);
    size_t whole = filter->advance / filter->phase_count, part = filter->advance % filter->phase_count;
    for (size_t done = 0; done < count; done++) {
        size_t first, row;
        next_outputs(filter, whole, part, &walk, 1, 1, &first, &row);
        float cosine = plain_sum(x + first, taps + row, filter->tap_count);
        float sine = plain_sum(x + first, taps + row + filter->tap_count, filter->tap_count);
        float real = rotations[2 * walk.rotation], imaginary = rotations[2 * walk.rotation + 1];
        y[2 * done] = cosine * real - sine * imaginary;
        y[2 * done + 1] = cosine * imaginary + sine * real;
        next_rotations(filter, &walk, 1);
    }
}

#if defined(__x86_64__)

/// The sums of each of four vectors within either half, four in a half.
INLINE AVX2 __m256i add_four_avx2(__m256i a, __m256i b, __m256i c, __m256i d) {
    __m256i ab = _mm256_add_epi32(_mm256_unpacklo_epi32(a, b), _mm256_unpackhi_epi32(a, b));
    __m256i cd = _mm256_add_epi32(_mm256_unpacklo_epi32(c, d), _mm256_unpackhi_epi32(c, d));
    return _mm256_add_epi32(_mm256_unpacklo_epi64(ab, cd), _mm256_unpackhi_epi64(ab, cd));
}

/// Two outputs at a time. The halves of a vector hold the groups 0 and 1, or 2 and 3.
INLINE AVX2 void filter_avx2_of(
    const struct earshot_polyphase *filter, int is_shared, const int16_t *x, const int16_t *taps, size_t phase,
    const float *rotations, size_t rotation, float *y, size_t count) {
    const size_t tap_count = filter->tap_count;
    struct walk walk = begin_walk(filter, phase, rotation);
    size_t whole = filter->advance / filter->phase_count, part = filter->advance % filter->phase_count;
    for (size_t done = 0; done < count; done += 2) {
        size_t present = count - done < 2 ? count - done : 2, firsts[2], rows[2];
        next_outputs(filter, whole, part, &walk, present, 2, firsts, rows);
        // Of each output the cosine's sum, then the sine's; shape [output][2][groups 0 and 1, 2 and 3].
        __m256i sums[2][2][2] = {0};
        for (size_t k = 0; k < tap_count; k += 32) {
            for (int half = 0; half < 2; half++) {
                for (int i = 0; i < 2; i++) {
                    const int16_t *row = is_shared ? taps : taps + rows[i];
                    __m256i input = _mm256_loadu_si256((const __m256i *)(x + firsts[i] + k + 16 * half));
                    for (int kind = 0; kind < 2; kind++) {
                        __m256i tap = _mm256_loadu_si256((const __m256i *)(row + kind * tap_count + k + 16 * half));
                        sums[i][kind][half] = _mm256_add_epi32(sums[i][kind][half], _mm256_madd_epi16(input, tap));
                    }
                }
            }
        }
        __m128 parts[2];
        for (int half = 0; half < 2; half++) {
            __m256 four = _mm256_cvtepi32_ps(
                add_four_avx2(sums[0][0][half], sums[0][1][half], sums[1][0][half], sums[1][1][half]));
            parts[half] = _mm_add_ps(_mm256_castps256_ps128(four), _mm256_extractf128_ps(four, 1));
        }
        __m128 sum = _mm_add_ps(parts[0], parts[1]);
        __m128 turn = _mm_loadu_ps(rotations + 2 * walk.rotation);
        __m128 product = _mm_addsub_ps(
            _mm_mul_ps(_mm_moveldup_ps(sum), turn), _mm_mul_ps(_mm_movehdup_ps(sum), _mm_permute_ps(turn, 0xB1)));
        if (present == 2) {
            _mm_storeu_ps(y + 2 * done, product);
        } else {
            _mm_storel_pi((__m64 *)(y + 2 * done), product);
        }
        next_rotations(filter, &walk, present);
    }
}

AVX2 static void filter_avx2(
    const struct earshot_polyphase *filter, const int16_t *x, const int16_t *taps, size_t phase, const float *rotations,
    size_t rotation, float *y, size_t count) {
    filter_avx2_of(filter, filter->phase_count == 1, x, taps, phase, rotations, rotation, y, count);
}

/// The sums of each of four vectors within each quarter, four in a quarter.
INLINE AVX512 __m512 add_four_avx512(const __m512i v[4]) {
    __m512i low = _mm512_add_epi32(_mm512_unpacklo_epi32(v[0], v[1]), _mm512_unpackhi_epi32(v[0], v[1]));
    __m512i high = _mm512_add_epi32(_mm512_unpacklo_epi32(v[2], v[3]), _mm512_unpackhi_epi32(v[2], v[3]));
    return _mm512_cvtepi32_ps(
        _mm512_add_epi32(_mm512_unpacklo_epi64(low, high), _mm512_unpackhi_epi64(low, high)));
}

/// The sums of neighbouring quarters of two vectors.
INLINE AVX512 __m512 add_quarters(__m512 a, __m512 b) {
    return _mm512_add_ps(_mm512_shuffle_f32x4(a, b, 0x88), _mm512_shuffle_f32x4(a, b, 0xDD));
}

/// Eight outputs at a time. The quarters of a vector hold the four groups.
INLINE AVX512 void filter_avx512_of(
    const struct earshot_polyphase *filter, int is_shared, const int16_t *x, const int16_t *taps, size_t phase,
    const float *rotations, size_t rotation, float *y, size_t count) {
    const size_t tap_count = filter->tap_count;
    struct walk walk = begin_walk(filter, phase, rotation);
    size_t whole = filter->advance / filter->phase_count, part = filter->advance % filter->phase_count;
    const __m512 one = _mm512_set1_ps(1);
    for (size_t done = 0; done < count; done += 8) {
        size_t present = count - done < 8 ? count - done : 8, firsts[8], rows[8];
        next_outputs(filter, whole, part, &walk, present, 8, firsts, rows);
        // Of each output the cosine's sum, then the sine's.
        __m512i sums[16];
        for (int i = 0; i < 16; i++) {
            sums[i] = _mm512_setzero_si512();
        }
        for (size_t k = 0; k < tap_count; k += 32) {
            __m512i cosine = _mm512_loadu_si512(taps + k), sine = _mm512_loadu_si512(taps + tap_count + k);
#pragma unroll
            for (int i = 0; i < 8; i++) {
                __m512i input = _mm512_loadu_si512(x + firsts[i] + k);
                if (!is_shared) {
                    cosine = _mm512_loadu_si512(taps + rows[i] + k);
                    sine = _mm512_loadu_si512(taps + rows[i] + tap_count + k);
                }
                sums[2 * i] = _mm512_dpwssd_epi32(sums[2 * i], input, cosine);
                sums[2 * i + 1] = _mm512_dpwssd_epi32(sums[2 * i + 1], input, sine);
            }
        }
        __m512 low = add_quarters(add_four_avx512(sums), add_four_avx512(sums + 4));
        __m512 high = add_quarters(add_four_avx512(sums + 8), add_four_avx512(sums + 12));
        __m512 sum = add_quarters(low, high);
        __m512 turn = _mm512_loadu_ps(rotations + 2 * walk.rotation);
        // 1·a ∓ b rounds like a ∓ b.
        __m512 product = _mm512_fmaddsub_ps(
            one, _mm512_mul_ps(_mm512_moveldup_ps(sum), turn),
            _mm512_mul_ps(_mm512_movehdup_ps(sum), _mm512_permute_ps(turn, 0xB1)));
        _mm512_mask_storeu_ps(y + 2 * done, (__mmask16)((1u << 2 * present) - 1), product);
        next_rotations(filter, &walk, present);
    }
}

AVX512 static void filter_avx512(
    const struct earshot_polyphase *filter, const int16_t *x, const int16_t *taps, size_t phase, const float *rotations,
    size_t rotation, float *y, size_t count) {
    if (filter->phase_count == 1) {
        filter_avx512_of(filter, 1, x, taps, phase, rotations, rotation, y, count);
    } else {
        filter_avx512_of(filter, 0, x, taps, phase, rotations, rotation, y, count);
    }
}

#endif

void earshot_filter_integers(
    int form, const struct earshot_polyphase *filter, const int16_t *x, const int16_t *taps, size_t phase,
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
