#include "Forms.h"

enum { TABLE = EARSHOT_GRID_TABLE_COUNT, SYMBOLS = EARSHOT_GRID_SYMBOL_COUNT, STEP = EARSHOT_GRID_ROWS_PER_SYMBOL };

/// The place of a cell in the table.
INLINE int32_t place_of(float cell, float scale) {
    float place = cell * scale;
    place = place > 0 ? place : 0;
    return (int32_t)(place < TABLE - 1 ? place : TABLE - 1);
}

INLINE void sum_of(
    const float *cells, size_t tone_stride, size_t tone_count, const float *table, float scale, float *products,
    float *sums) {
    for (size_t k = 0; k < SYMBOLS; k++) {
        sums[k] = 0;
    }
    for (size_t tone = 0; tone < tone_count; tone++) {
        for (size_t k = 0; k < SYMBOLS; k++) {
            float value = table[place_of(cells[tone * tone_stride + k * STEP], scale)];
            if (products) {
                value = products[tone * SYMBOLS + k] *= value;
            }
            sums[k] += value;
        }
    }
}

static void sum_plain(
    const float *cells, size_t tone_stride, size_t tone_count, const float *table, float scale, float *products,
    float *sums) {
    sum_of(cells, tone_stride, tone_count, table, scale, products, sums);
}

#if defined(__x86_64__)

AVX2 static void sum_avx2(
    const float *cells, size_t tone_stride, size_t tone_count, const float *table, float scale, float *products,
    float *sums) {
    sum_of(cells, tone_stride, tone_count, table, scale, products, sums);
}

/// The table is in registers, and one instruction looks up sixteen cells in half of it.
AVX512 static void sum_avx512(
    const float *cells, size_t tone_stride, size_t tone_count, const float *table, float scale, float *products,
    float *sums) {
    const __m512 low0 = _mm512_loadu_ps(table), low1 = _mm512_loadu_ps(table + 16);
    const __m512 high0 = _mm512_loadu_ps(table + 32), high1 = _mm512_loadu_ps(table + 48);
    // Every fourth of 32 floats, first those of the lower half of the result.
    const __m512i fourths = _mm512_setr_epi32(0, 4, 8, 12, 16, 20, 24, 28, 0, 4, 8, 12, 16, 20, 24, 28);
    const __m512 scales = _mm512_set1_ps(scale), last = _mm512_set1_ps(TABLE - 1), zero = _mm512_setzero_ps();
    __m512 sum = zero;
    for (size_t tone = 0; tone < tone_count; tone++) {
        const float *x = cells + tone * tone_stride;
        __m512 lower = _mm512_permutex2var_ps(_mm512_loadu_ps(x), fourths, _mm512_loadu_ps(x + 16));
        // The last three floats are not needed, and may not exist.
        __m512 end = _mm512_maskz_loadu_ps(0x1FFF, x + 48);
        __m512 upper = _mm512_permutex2var_ps(_mm512_loadu_ps(x + 32), fourths, end);
        __m512 cell = _mm512_mask_mov_ps(lower, 0xFF00, upper);
        __m512 place = _mm512_min_ps(_mm512_max_ps(_mm512_mul_ps(cell, scales), zero), last);
        __m512i index = _mm512_cvttps_epi32(place);
        __mmask16 is_high = _mm512_test_epi32_mask(index, _mm512_set1_epi32(32));
        __m512 value = _mm512_mask_mov_ps(
            _mm512_permutex2var_ps(low0, index, low1), is_high, _mm512_permutex2var_ps(high0, index, high1));
        if (products) {
            value = _mm512_mul_ps(value, _mm512_loadu_ps(products + tone * SYMBOLS));
            _mm512_storeu_ps(products + tone * SYMBOLS, value);
        }
        sum = _mm512_add_ps(sum, value);
    }
    _mm512_storeu_ps(sums, sum);
}

#endif

void earshot_grid_ratios(
    int form, const float *cells, size_t tone_stride, size_t tone_count, const float *table, float cells_per_unit,
    float *products, float *sums) {
    switch (form) {
#if defined(__x86_64__)
    case EARSHOT_AVX512:
        return sum_avx512(cells, tone_stride, tone_count, table, cells_per_unit, products, sums);
    case EARSHOT_AVX2:
        return sum_avx2(cells, tone_stride, tone_count, table, cells_per_unit, products, sums);
#endif
    default:
        return sum_plain(cells, tone_stride, tone_count, table, cells_per_unit, products, sums);
    }
}
