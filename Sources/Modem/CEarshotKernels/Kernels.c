#include "Forms.h"

#include <string.h>

// Each of these kernels is compiled twice for x86-64, see Forms.h. Elsewhere the compiler's vector types suffice.
#if defined(__clang__) && !defined(__wasm__)
#define MINIMUM(a, b) __builtin_elementwise_min(a, b)
#define MAXIMUM(a, b) __builtin_elementwise_max(a, b)
#else
// GCC does not have these, and for WebAssembly clang calls a function for each lane.
#define SELECT(a, b, order) ({ \
    __typeof__((a) order (b)) mask = (a) order (b); \
    (__typeof__(b))(((__typeof__(mask))(a) & mask) | ((__typeof__(mask))(b) & ~mask)); })
#define MINIMUM(a, b) SELECT(a, b, <)
#define MAXIMUM(a, b) SELECT(a, b, >)
#endif

#if defined(__clang__)
#define SUM_OF_LANES(v) __builtin_reduce_add(v)
#define MAXIMUM_OF_LANES(v) __builtin_reduce_max(v)
#define ANY_LANE(v) __builtin_reduce_or(v)
#else
// GCC does not have these either. It compiles the kernels for their test on other processors only.
#define REDUCE(v, step) ({ \
    __typeof__(v) lanes = (v); \
    __typeof__(lanes[0] + 0) sum = lanes[0]; \
    for (size_t lane = 1; lane < sizeof lanes / sizeof lanes[0]; lane++) { sum = step; } \
    sum; })
#define SUM_OF_LANES(v) REDUCE(v, sum + lanes[lane])
#define MAXIMUM_OF_LANES(v) REDUCE(v, lanes[lane] > sum ? lanes[lane] : sum)
#define ANY_LANE(v) REDUCE(v, sum | lanes[lane])
#endif

typedef float Eight __attribute__((vector_size(32), aligned(4)));
typedef int32_t EightIntegers __attribute__((vector_size(32), aligned(4)));
typedef int16_t Sixteen __attribute__((vector_size(32), aligned(2)));
typedef int16_t FourShorts __attribute__((vector_size(8), aligned(2)));
typedef uint64_t TwoLongs __attribute__((vector_size(16), aligned(8)));
typedef uint64_t FourLongs __attribute__((vector_size(32), aligned(8)));

#define LOAD(pointer) (*(const Eight *)(pointer))
#define STORE(pointer, value) (*(Eight *)(pointer) = (value))

CLONED void earshot_floats_from_int16(const int16_t *restrict n, size_t count, float *restrict x) {
    for (size_t i = 0; i < count; i++) {
        x[i] = (float)n[i] * 0x1p-15f;
    }
}

/// Converts up to 64 samples; returns whether one of them is not an integer.
INLINE int convert_some(const float *restrict x, size_t count, int16_t *restrict n) {
    int32_t differs = 0;
    for (size_t i = 0; i < count; i++) {
        // A comparison with NaN is false.
        float scaled = x[i] == x[i] ? x[i] * 0x1p15f : 0;
        float limited = scaled < -32768 ? -32768 : scaled;
        n[i] = (int16_t)(limited > 32767 ? 32767 : limited);
        differs |= (float)n[i] != scaled;
    }
    return differs;
}

INLINE int is_integer(float x, int16_t n) {
    return x != x || (float)n == x * 0x1p15f;
}

CLONED size_t earshot_leading_integers(const float *restrict x, size_t count, int16_t *restrict n) {
    for (size_t start = 0; start < count; start += 64) {
        size_t some = count - start < 64 ? count - start : 64;
        if (convert_some(x + start, some, n + start)) {
            size_t i = start;
            while (is_integer(x[i], n[i])) {
                i++;
            }
            return i;
        }
    }
    return count;
}

CLONED size_t earshot_leading_fractions(const float *restrict x, size_t count, size_t gap, int16_t *restrict n) {
    size_t end = 1;
    for (size_t start = 0; start < count; start += 64) {
        size_t some = count - start < 64 ? count - start : 64;
        // Usually the last one is not an integer, and too close to the one before for integers to matter.
        if (start + some <= end + gap && convert_some(x + start + some - 1, 1, n + start + some - 1)) {
            end = start + some;
            continue;
        }
        if (convert_some(x + start, some, n + start)) {
            size_t i = start;
            while (start >= end + gap - 64 && is_integer(x[i], n[i])) {
                i++;
            }
            if (i >= end + gap) {
                return end;
            }
            i = start + some;
            while (is_integer(x[i - 1], n[i - 1])) {
                i--;
            }
            end = i;
        } else if (start + some >= end + gap) {
            return end;
        }
    }
    return end;
}

CLONED void earshot_limit(const float *restrict x, size_t count, float limit, float *restrict y) {
    for (size_t i = 0; i < count; i++) {
        // A comparison with NaN is false.
        float value = x[i] == x[i] ? x[i] : 0;
        value = value < -limit ? -limit : value;
        y[i] = value > limit ? limit : value;
    }
}

CLONED void earshot_add_scores(
    const float *restrict terms, size_t offset_count, size_t stride, size_t row_count, float mean, float share,
    float *restrict sums, float *restrict maxima) {
    for (size_t row = 0; row < row_count; row++) {
        maxima[row] = 0;
    }
    for (size_t offset = 0; offset < offset_count; offset++) {
        for (size_t row = 0; row < row_count; row++) {
            float a = sums[offset * stride + row] - mean, b = terms[offset * stride + row] - mean;
            a = a > 0 ? a : 0;
            b = b > 0 ? b : 0;
            float larger = a > b ? a : b, square = (a * a + b * b) * share;
            square = square > larger * larger ? square : larger * larger;
            float sum = mean + __builtin_sqrtf(square);
            sums[offset * stride + row] = sum;
            maxima[row] = sum > maxima[row] ? sum : maxima[row];
        }
    }
}

// Helpers take and return vectors through pointers: the calling conventions for vector values differ between the two builds.

CLONED void earshot_complex_products(
    const float *restrict x, const float *restrict z, size_t count, float *restrict y) {
    for (size_t i = 0; i < count; i++) {
        y[2 * i] = x[2 * i] * z[2 * i] - x[2 * i + 1] * z[2 * i + 1];
        y[2 * i + 1] = x[2 * i] * z[2 * i + 1] + x[2 * i + 1] * z[2 * i];
    }
}

CLONED void earshot_turned_sums(
    const float *restrict x_real, const float *restrict x_imaginary, size_t width, size_t count, const float *restrict p,
    size_t step, size_t period, float *restrict z_real, float *restrict z_imaginary) {
    for (size_t d = 0; d < width; d += 8) {
        Eight real = {0}, imaginary = {0};
        for (size_t k = 0, phase = 0; k < count; k++) {
            float cosine = p[2 * phase], sine = p[2 * phase + 1];
            Eight a = LOAD(x_real + k * width + d), b = LOAD(x_imaginary + k * width + d);
            real += a * cosine - b * sine;
            imaginary += a * sine + b * cosine;
            phase += step;
            phase = phase < period ? phase : phase - period;
        }
        STORE(z_real + d, real);
        STORE(z_imaginary + d, imaginary);
    }
}

CLONED void earshot_multiply(float *restrict x, const float *restrict z, size_t count) {
    for (size_t i = 0; i < count; i++) {
        float real = x[2 * i] * z[2 * i] - x[2 * i + 1] * z[2 * i + 1];
        x[2 * i + 1] = x[2 * i] * z[2 * i + 1] + x[2 * i + 1] * z[2 * i];
        x[2 * i] = real;
    }
}

CLONED void earshot_multiply_by_conjugate(float *restrict x, const float *restrict z, size_t count) {
    for (size_t i = 0; i < count; i++) {
        float real = x[2 * i] * z[2 * i] + x[2 * i + 1] * z[2 * i + 1];
        x[2 * i + 1] = x[2 * i + 1] * z[2 * i] - x[2 * i] * z[2 * i + 1];
        x[2 * i] = real;
    }
}

/// |x|² of eight complex numbers, four in each vector, in the order 0 1 4 5 2 3 6 7.
INLINE void eight_powers(const Eight *x, Eight *powers) {
    Eight low = x[0] * x[0], high = x[1] * x[1];
    *powers = __builtin_shufflevector(low, high, 0, 2, 8, 10, 4, 6, 12, 14)
        + __builtin_shufflevector(low, high, 1, 3, 9, 11, 5, 7, 13, 15);
}

/// a·(x[k − 1] − x[k]) + b·(x[k − 2] − x[k + 1]) of four complex numbers.
INLINE void between(const float *x, float a, float b, Eight *result) {
    *result = a * (LOAD(x - 2) - LOAD(x)) + b * (LOAD(x - 4) - LOAD(x + 2));
}

CLONED void earshot_half_spacing_powers(
    const float *restrict points, size_t length, size_t row_count, size_t pair_count, float scale, float a, float b,
    int at_first, float *restrict y) {
    for (size_t row = 0; row < row_count; row++) {
        const float *x = points + 2 * (row * length + 2);
        const float *shifted = x + (at_first ? 2 : 0);
        float *pairs = y + 2 * row * pair_count;
        for (size_t k = 0; k < pair_count; k += 8) {
            Eight middle[2], at, below;
            eight_powers((const Eight *)(x + 2 * k), &at);
            between(shifted + 2 * k, a, b, &middle[0]);
            between(shifted + 2 * k + 8, a, b, &middle[1]);
            eight_powers(middle, &below);
            Eight first = scale * (at_first ? at : below), second = scale * (at_first ? below : at);
            STORE(pairs + 2 * k, __builtin_shufflevector(first, second, 0, 8, 1, 9, 4, 12, 5, 13));
            STORE(pairs + 2 * k + 8, __builtin_shufflevector(first, second, 2, 10, 3, 11, 6, 14, 7, 15));
        }
    }
}

CLONED void earshot_sum_rows(
    const float *restrict energies, size_t stride, size_t row_count, size_t bin_count, const float *restrict shares,
    float minimum_share, float minimum, float *restrict logs, float *restrict means) {
    for (size_t bin = 0; bin < bin_count; bin++) {
        logs[bin] = 0;
        means[bin] = 0;
    }
    for (size_t row = 0; row < row_count; row++) {
        float share = shares ? shares[row] : 1;
        if (share < minimum_share) {
            continue;
        }
        float scale = 1 / share;
        const float *values = energies + row * stride;
        for (size_t bin = 0; bin < bin_count; bin++) {
            float energy = scale * values[bin];
            float x = energy + minimum;
            int32_t bits;
            memcpy(&bits, &x, sizeof bits);
            int32_t mantissa_bits = (bits & 0x007FFFFF) | 0x3F800000;
            float mantissa;
            memcpy(&mantissa, &mantissa_bits, sizeof mantissa);
            float t = mantissa - 1;
            logs[bin] += (float)((bits >> 23) - 127) + t * (1.3465f - 0.3465f * t);
            means[bin] += energy;
        }
    }
}

CLONED void earshot_smooth_floor(
    const float *restrict logs, const float *restrict means, size_t bin_count, float scale, float weight,
    float *restrict smoothed_logs, float *restrict smoothed_means) {
    for (size_t bin = 0; bin < bin_count; bin++) {
        smoothed_logs[bin] += weight * (scale * logs[bin] - smoothed_logs[bin]);
        smoothed_means[bin] += weight * (scale * means[bin] - smoothed_means[bin]);
    }
}

CLONED void earshot_invert_floor(
    const float *restrict logs, const float *restrict smoothed_logs, size_t bin_count, float scale, float maximum,
    float *restrict inverse) {
    // γ / ln 2.
    const float euler_bits = 0.8327462f;
    for (size_t bin = 0; bin < bin_count; bin++) {
        float now = scale * logs[bin] - 1;
        float bits = -((smoothed_logs[bin] > now ? smoothed_logs[bin] : now) + euler_bits);
        // Rounded down: the conversion truncates towards zero.
        int32_t whole = (int32_t)bits;
        whole -= bits < (float)whole ? 1 : 0;
        float fraction = bits - (float)whole;
        int32_t power_bits = (whole + 127) * (1 << 23);
        float power;
        memcpy(&power, &power_bits, sizeof power);
        float value = (1 + fraction * (0.656854f + 0.343146f * fraction)) * power;
        inverse[bin] = value < maximum ? value : maximum;
    }
}

CLONED float earshot_select(const float *values, size_t count, size_t rank) {
    // Ranks eight candidates at a time, at the end some of them again; fewer than eight values are repeated.
    float repeated[8];
    const float *asked = values;
    if (count < 8) {
        for (size_t i = 0; i < 8; i++) {
            repeated[i] = values[i < count ? i : 0];
        }
        asked = repeated;
    }
    for (size_t i = 0; i < count; i += 8) {
        size_t start = i + 8 <= count || count < 8 ? i : count - 8;
        Eight own = LOAD(asked + start);
        EightIntegers less = {0}, equal = {0};
        for (size_t k = 0; k < count; k++) {
            Eight other = {values[k], values[k], values[k], values[k], values[k], values[k], values[k], values[k]};
            // A true comparison is −1.
            less -= other < own;
            equal -= other == own;
        }
        EightIntegers found = (less <= (int32_t)rank) & (less + equal > (int32_t)rank);
        if (ANY_LANE(found)) {
            // Any matching lane will do, because they are equal.
            size_t lane = 0;
            while (!found[lane]) {
                lane++;
            }
            return own[lane];
        }
    }
    return values[0];
}

/// The float at a place in the order of all floats.
INLINE float float_at(int32_t place) {
    int32_t bits = place ^ (place >> 31 & 0x7FFFFFFF);
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/// The place of a float in the order of all floats.
INLINE int32_t place_of(float value) {
    int32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits ^ (bits >> 31 & 0x7FFFFFFF);
}

CLONED float earshot_select_of_many(const float *values, size_t count, size_t rank) {
    float minimum = values[0], maximum = values[0];
    for (size_t i = 1; i < count; i++) {
        minimum = values[i] < minimum ? values[i] : minimum;
        maximum = values[i] > maximum ? values[i] : maximum;
    }
    int64_t low = place_of(minimum), high = place_of(maximum);
    while (low < high) {
        int64_t middle = low + ((high - low) >> 1);
        float pivot = float_at((int32_t)middle);
        // Two sums, so that no addition waits for the one before it. A true comparison is −1.
        EightIntegers sums[2] = {{0}, {0}};
        size_t i = 0;
        for (; i + 16 <= count; i += 16) {
            sums[0] -= LOAD(values + i) <= pivot;
            sums[1] -= LOAD(values + i + 8) <= pivot;
        }
        size_t below = (size_t)SUM_OF_LANES(sums[0] + sums[1]);
        for (; i < count; i++) {
            below += values[i] <= pivot;
        }
        if (below > rank) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    return float_at((int32_t)low);
}

CLONED void earshot_column_selects(
    const float *restrict values, const int32_t *restrict rows, size_t row_count, size_t column_count, size_t rank,
    float *restrict selected) {
    Eight column[EARSHOT_MAXIMUM_ROW_COUNT];
    for (size_t first = 0; first < column_count; first += 8) {
        for (size_t row = 0; row < row_count; row++) {
            column[row] = LOAD(values + (size_t)rows[row] * column_count + first);
        }
        // Batcher's merge exchange: the places compared do not depend on the values.
        size_t top = 1;
        while (2 * top < row_count) {
            top *= 2;
        }
        for (size_t p = top; p > 0; p /= 2) {
            size_t q = top, r = 0, d = p;
            for (;;) {
                for (size_t block = r; block + d < row_count; block += 2 * p) {
                    size_t end = block + p + d < row_count ? block + p : row_count - d;
                    for (size_t i = block; i < end; i++) {
                        Eight a = column[i], b = column[i + d];
                        column[i] = MINIMUM(a, b);
                        column[i + d] = MAXIMUM(a, b);
                    }
                }
                if (q == p) {
                    break;
                }
                d = q - p;
                q /= 2;
                r = p;
            }
        }
        STORE(selected + first, column[rank]);
    }
}

CLONED float earshot_sum_of_ratios(
    const float *restrict energies, size_t first, const float *restrict inverse, size_t count,
    const float *restrict table, size_t table_count, float cells_per_unit) {
    const float last = (float)(table_count - 1);
    float sums[8] = {0};
    for (size_t i = 0; i < count; i += 8) {
        Eight places = LOAD(energies + first + i) * LOAD(inverse + i) * cells_per_unit;
        places = MINIMUM(places, (Eight){0} + last);
        EightIntegers cells = __builtin_convertvector(places, EightIntegers);
        for (int lane = 0; lane < 8; lane++) {
            sums[lane] += table[cells[lane]];
        }
    }
    return ((sums[0] + sums[1]) + (sums[2] + sums[3])) + ((sums[4] + sums[5]) + (sums[6] + sums[7]));
}

CLONED void earshot_scale_rows(const float *restrict factors, size_t bin_count, float *restrict energies) {
    for (size_t bin = 0; bin < bin_count; bin++) {
        for (size_t row = 0; row < EARSHOT_BLOCK_ROW_COUNT; row++) {
            energies[EARSHOT_BLOCK_ROW_COUNT * bin + row] *= factors[row];
        }
    }
}

CLONED float earshot_symbol_level(
    const float *restrict energies, const float *restrict inverse, size_t count, float self_noise) {
    // γ / ln 2.
    const float euler_bits = 0.8327462f, smallest = 1e-30f;
    // The last round takes the logarithm of the mean.
    Eight sum = {0}, bits = {0}, mean_bits = {0};
    for (size_t i = 0; i <= count; i += 8) {
        Eight x = {0};
        if (i < count) {
            x = LOAD(energies + i) * LOAD(inverse + i);
            sum += x;
        } else {
            float total = 0;
            for (int lane = 0; lane < 8; lane++) {
                total += sum[lane];
            }
            x += self_noise * total / (float)count;
        }
        x += smallest;
        EightIntegers pattern;
        memcpy(&pattern, &x, sizeof pattern);
        EightIntegers mantissa_bits = (pattern & 0x007FFFFF) | 0x3F800000;
        Eight t;
        memcpy(&t, &mantissa_bits, sizeof t);
        t -= 1;
        Eight logarithms = __builtin_convertvector((pattern >> 23) - 127, Eight) + t * (1.3465f - 0.3465f * t);
        if (i < count) {
            bits += logarithms;
        } else {
            mean_bits = logarithms;
        }
    }
    float total_bits = 0;
    for (int lane = 0; lane < 8; lane++) {
        total_bits += bits[lane];
    }
    float level = total_bits / (float)count + euler_bits;
    return level > mean_bits[0] ? level : mean_bits[0];
}

CLONED int16_t earshot_trellis_step(
    const float *restrict metrics, size_t tone_count, float scale, const uint8_t *restrict tones, size_t state_count,
    int16_t offset, const int16_t *restrict old, int16_t *restrict new) {
    float low = metrics[0];
    for (size_t tone = 1; tone < tone_count; tone++) {
        low = metrics[tone] < low ? metrics[tone] : low;
    }
    // branches[t][l] = λ(t ⊕ tone(l)) for sixteen states l, by doubling, because the code is linear: a pair holds the
    // states 0 and 1, and so on. The lower half of a number comes first in memory.
    uint16_t ones[64];
    uint32_t pairs[64];
    uint64_t fours[64];
    TwoLongs eights[64];
    Sixteen branches[64];
    for (size_t tone = 0; tone < tone_count; tone++) {
        ones[tone] = (uint16_t)(4 * (int32_t)((metrics[tone] - low) * scale + 0.5f));
    }
    for (size_t tone = 0; tone < tone_count; tone++) {
        pairs[tone] = ones[tone] | (uint32_t)ones[tone ^ tones[1]] << 16;
    }
    for (size_t tone = 0; tone < tone_count; tone++) {
        fours[tone] = pairs[tone] | (uint64_t)pairs[tone ^ tones[2]] << 32;
    }
    for (size_t tone = 0; tone < tone_count; tone++) {
        eights[tone] = (TwoLongs){fours[tone], fours[tone ^ tones[4]]};
    }
    for (size_t tone = 0; tone < tone_count; tone++) {
        FourLongs sixteen = __builtin_shufflevector(eights[tone], eights[tone ^ tones[8]], 0, 1, 2, 3);
        branches[tone] = (Sixteen)sixteen;
    }
    const size_t quarter = state_count / 4;
    Sixteen highest = (Sixteen){0} + (int16_t)INT16_MIN;
    for (size_t p = 0; p < state_count / 16; p++) {
        Sixteen best = highest;
        for (size_t j = 0; j < 4; j++) {
            FourShorts four = *(const FourShorts *)(old + 4 * p + j * quarter);
            Sixteen before = __builtin_shufflevector(four, four, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3);
            Sixteen sum = (before & (int16_t)~3) + (int16_t)((int16_t)j - offset)
                + branches[tones[16 * p] ^ tones[j * state_count]];
            best = j == 0 ? sum : MAXIMUM(best, sum);
        }
        *(Sixteen *)(new + 16 * p) = best;
        highest = MAXIMUM(highest, best);
    }
    return MAXIMUM_OF_LANES(highest) & (int16_t)~3;
}

CLONED void earshot_piece_sums(
    const float *restrict x, const ptrdiff_t firsts[8], const float step[16], size_t piece_count, size_t length,
    float *restrict s) {
    // stepᵢⁿ, n in 0 ... length.
    Eight real[65], imaginary[65];
    Eight step_real = LOAD(step), step_imaginary = LOAD(step + 8);
    real[0] = (Eight){1, 1, 1, 1, 1, 1, 1, 1};
    imaginary[0] = (Eight){0};
    for (size_t n = 0; n < length; n++) {
        real[n + 1] = real[n] * step_real - imaginary[n] * step_imaginary;
        imaginary[n + 1] = real[n] * step_imaginary + imaginary[n] * step_real;
    }
    Eight turn_real = real[0], turn_imaginary = imaginary[0];
    const float *starts[8];
    for (int i = 0; i < 8; i++) {
        starts[i] = x + 2 * firsts[i];
    }
    for (size_t piece = 0; piece < piece_count; piece++) {
        Eight sum_real = {0}, sum_imaginary = {0};
        for (size_t n = 0; n < length; n++) {
            size_t place = 2 * (piece * length + n);
            Eight a, b;
            for (int i = 0; i < 8; i++) {
                a[i] = starts[i][place];
                b[i] = starts[i][place + 1];
            }
            sum_real += a * real[n] - b * imaginary[n];
            sum_imaginary += a * imaginary[n] + b * real[n];
        }
        STORE(s + 16 * piece, sum_real * turn_real - sum_imaginary * turn_imaginary);
        STORE(s + 16 * piece + 8, sum_real * turn_imaginary + sum_imaginary * turn_real);
        Eight next = turn_real * real[length] - turn_imaginary * imaginary[length];
        turn_imaginary = turn_real * imaginary[length] + turn_imaginary * real[length];
        turn_real = next;
    }
}

CLONED void earshot_piece_energies(
    const float *restrict s, const float *restrict turns, size_t piece_count, float scale, float energies[8]) {
    // Two sums each, so that no addition waits for the one before it.
    Eight real[2] = {{0}, {0}}, imaginary[2] = {{0}, {0}};
    for (size_t k = 0; k < piece_count; k++) {
        Eight a = LOAD(s + 16 * k), b = LOAD(s + 16 * k + 8);
        float c = turns[2 * k], d = turns[2 * k + 1];
        real[0] += a * c;
        real[1] += b * d;
        imaginary[0] += a * d;
        imaginary[1] += b * c;
    }
    Eight sum_real = real[0] - real[1], sum_imaginary = imaginary[0] + imaginary[1];
    STORE(energies, scale * (sum_real * sum_real + sum_imaginary * sum_imaginary));
}
