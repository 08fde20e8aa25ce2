// Runs every form of the kernels that this processor has, and compares each with a slow twin in double precision.
// kernels.sh beside it compiles it for this processor and for aarch64, which has the plain form only.
#include "CEarshotKernels.h"

#include <complex.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double pi = 3.14159265358979323846;
static const char *const form_names[] = {"plain", "AVX2", "AVX-512"};
static int failure_count;

static void expect(double error, double limit, const char *what, int form, int detail) {
    if (!(error <= limit)) {
        printf("%s, %s, %d: off by %g, not %g\n", what, form_names[form], detail, error, limit);
        failure_count++;
    }
}

/// Uniform in 0 ..< 1, the same on every machine.
static double uniform(void) {
    static uint64_t state = 15;
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (double)(state >> 11) * 0x1p-53;
}

static void test_filters(int form, int phase_count, int advance, int tap_count) {
    enum { COUNT = 101, PERIOD = 12 };
    static int16_t x[16384], taps[10 * 2 * 256];
    static float float_x[16384], float_taps[10 * 2 * 256], rotations[2 * (PERIOD + 7)], y[2 * COUNT], float_y[2 * COUNT];
    for (int i = 0; i < 16384; i++) {
        x[i] = (int16_t)(65536 * uniform() - 32768);
        float_x[i] = (float)x[i] * 0x1p-15f;
    }
    // Samples at full scale, and taps that nearly fill the 32-bit sums: 2¹⁵ times their sum is just below 2³¹.
    for (int i = 0; i < phase_count * 2 * tap_count; i++) {
        int limit = 65535 / (tap_count / 4);
        taps[i] = (int16_t)((2 * uniform() - 1) * limit);
        float_taps[i] = (float)taps[i] * 0x1p-15f;
    }
    for (int i = 0; i < 2 * (PERIOD + 7); i++) {
        double angle = 2 * pi * 5 * (i / 2 % PERIOD) / PERIOD;
        rotations[i] = (float)(i % 2 ? sin(angle) : cos(angle));
    }
    struct earshot_polyphase filter = {(size_t)tap_count, (size_t)phase_count, (size_t)phase_count, (size_t)advance, PERIOD};
    earshot_filter_integers(form, &filter, x, taps, 3, rotations, 7, y, COUNT);
    earshot_filter_floats(form, &filter, float_x, float_taps, 3, rotations, 7, float_y, COUNT);
    for (int n = 0; n < COUNT; n++) {
        int place = 3 + n * advance, first = place / phase_count;
        const int16_t *row = taps + 2 * tap_count * (place % phase_count);
        float parts[2], exact[2];
        for (int kind = 0; kind < 2; kind++) {
            int64_t groups[4] = {0};
            for (int k = 0; k < tap_count; k++) {
                groups[k / 8 % 4] += (int64_t)x[first + k] * row[kind * tap_count + k];
            }
            parts[kind] = ((float)groups[0] + (float)groups[1]) + ((float)groups[2] + (float)groups[3]);
            exact[kind] = (float)((double)(groups[0] + groups[1] + groups[2] + groups[3]) * 0x1p-30);
        }
        const float *turn = rotations + 2 * ((7 + n) % PERIOD);
        // Volatile, so that the compiler does not fuse the products, which would round differently.
        volatile float a = parts[0] * turn[0], b = parts[1] * turn[1], c = parts[0] * turn[1], d = parts[1] * turn[0];
        expect(y[2 * n] != a - b || y[2 * n + 1] != c + d, 0, "integers are not exact", form, n);
        double complex expected = (exact[0] + I * exact[1]) * (turn[0] + I * turn[1]);
        double error = cabs(float_y[2 * n] + I * float_y[2 * n + 1] - expected);
        expect(error, 1e-5, "floats", form, n);
    }
}

/// The factors of the transform of `window` points that begin `lowest` half spacings above zero.
static void make_turns(int window, int lowest, int first_point, int quarter, float *turns) {
    for (int i = 0; i < 4 * quarter; i++) {
        double angle = -pi * (i % quarter) * (2 * ((first_point + i / quarter) % 4) + lowest) / window;
        turns[2 * i] = (float)cos(angle);
        turns[2 * i + 1] = (float)sin(angle);
    }
    for (int i = 0; i < quarter; i++) {
        double angle = -2 * pi * (i / 8) * (i % 8) / quarter;
        turns[8 * quarter + 2 * i] = (float)cos(angle);
        turns[8 * quarter + 2 * i + 1] = (float)sin(angle);
    }
}

static void test_block(int form, int window, int highest_bin) {
    enum { ROWS = EARSHOT_BLOCK_ROW_COUNT, STRIDE = 200 };
    static float x[2 * 35 * 32], turns[2048], energies[256 * ROWS], logs[256], means[256], scales[16], weights[16];
    static float row_logs[16], row_means[16];
    static float inverse[256], cells[256 * STRIDE], sums[20 * ROWS], maxima[ROWS];
    int quarter = window / 4, bin_count = 2 * highest_bin + 1, lowest = -2 * ((highest_bin + 1) / 2) - 3;
    int first_point = (1 - lowest) / 2 % 4;
    for (int i = 0; i < 2 * 35 * quarter; i++) {
        x[i] = (float)(2 * uniform() - 1);
    }
    make_turns(window, lowest, first_point, quarter, turns);
    const double near = sqrt(0.45), far = near / 3;
    struct earshot_spectrogram spectrogram = {
        (size_t)window, (size_t)bin_count, highest_bin % 2, (size_t)first_point, (float)near, (float)far,
        1 / (float)(window * window)};
    earshot_block_energies(form, &spectrogram, turns, x, energies);
    for (int row = 0; row < ROWS; row++) {
        double complex points[EARSHOT_MAXIMUM_WINDOW];
        for (int k = 0; k < window; k++) {
            points[k] = 0;
            for (int n = 0; n < window; n++) {
                const float *sample = x + 2 * (row * quarter + n);
                points[k] += (sample[0] + I * sample[1]) * cexp(-I * pi * ((double)(lowest + 2 * k) * n / window));
            }
        }
        for (int bin = 0; bin < bin_count; bin++) {
            int k = (bin + 1) / 2;
            int is_between = (bin % 2 == 0) != (highest_bin % 2 != 0);
            double complex value = is_between
                ? near * (points[k + 1] - points[k + 2]) + far * (points[k] - points[k + 3]) : points[bin / 2 + 2];
            double expected = creal(value * conj(value)) / (window * window);
            expect(fabs(energies[bin * ROWS + row] - expected), 2e-6, "energies", form, bin);
        }
    }
    for (int i = 0; i < 16; i++) {
        scales[i] = (float)(1 + 3 * uniform());
        weights[i] = uniform() < 0.8;
    }
    earshot_block_sums(
        form, energies, (size_t)bin_count, scales, weights, 1e-15f, logs, means, row_logs, row_means);
    for (int i = 0; i < 16; i++) {
        double log_sum = 0, mean_sum = 0;
        for (int bin = 0; bin < bin_count; bin++) {
            double energy = (double)scales[i] * energies[bin * ROWS + 2 * i];
            log_sum += weights[i] * log2(energy + 1e-15);
            mean_sum += weights[i] * energy;
        }
        expect(fabs(row_logs[i] - log_sum), bin_count * 0.008, "logarithms of rows", form, i);
        expect(fabs(row_means[i] - mean_sum), 1e-5 * mean_sum, "means of rows", form, i);
    }
    for (int bin = 0; bin < bin_count; bin++) {
        double log_sum = 0, mean_sum = 0;
        for (int i = 0; i < 16; i++) {
            double energy = (double)scales[i] * energies[bin * ROWS + 2 * i];
            log_sum += weights[i] * log2(energy + 1e-15);
            mean_sum += weights[i] * energy;
        }
        // The parabola approximates the logarithm within 0.008.
        expect(fabs(logs[bin] - log_sum), 16 * 0.008, "logarithms", form, bin);
        expect(fabs(means[bin] - mean_sum), 1e-5 * mean_sum, "means", form, bin);
        inverse[bin] = (float)(window / (0.1 + uniform()));
    }
    earshot_block_saturate(form, energies, (size_t)bin_count, inverse, 3, cells, STRIDE);
    for (int bin = 0; bin < bin_count; bin++) {
        for (int row = 0; row < ROWS; row++) {
            double ratio = (double)energies[bin * ROWS + row] * inverse[bin];
            expect(fabs(cells[bin * STRIDE + row] - 3 * ratio / (3 + ratio)), 2e-6, "cells", form, bin);
        }
    }
    for (int i = 0; i < 256 * STRIDE; i++) {
        cells[i] = (float)(3 * uniform());
    }
    ptrdiff_t firsts[8];
    for (int i = 0; i < 8; i++) {
        firsts[i] = (int)(100 * uniform()) * STRIDE + 4 * i;
    }
    earshot_block_patterns(form, cells, firsts, STRIDE, 19, sums, ROWS, maxima);
    for (int row = 0; row < ROWS; row++) {
        double highest = 0;
        for (int offset = 0; offset < 19; offset++) {
            double expected = 0;
            for (int i = 0; i < 8; i++) {
                expected += cells[offset * STRIDE + firsts[i] + row];
            }
            expect(fabs(sums[offset * ROWS + row] - expected), 2e-5, "scores", form, row);
            highest = fmax(highest, sums[offset * ROWS + row]);
        }
        expect(fabs(maxima[row] - highest), 0, "maxima", form, row);
    }
    float table[EARSHOT_GRID_TABLE_COUNT], ratios[EARSHOT_GRID_SYMBOL_COUNT];
    for (int i = 0; i < EARSHOT_GRID_TABLE_COUNT; i++) {
        table[i] = (float)(i * i % 17);
    }
    const float per_unit = EARSHOT_GRID_TABLE_COUNT / 2.9f;
    float products[64 * EARSHOT_GRID_SYMBOL_COUNT];
    for (int i = 0; i < 64 * EARSHOT_GRID_SYMBOL_COUNT; i++) {
        products[i] = (float)(1 + i % 3);
    }
    for (int with_products = 0; with_products < 2; with_products++) {
        earshot_grid_ratios(form, cells, STRIDE, 64, table, per_unit, with_products ? products : NULL, ratios);
        for (int k = 0; k < EARSHOT_GRID_SYMBOL_COUNT; k++) {
            float expected = 0;
            for (int tone = 0; tone < 64; tone++) {
                int place = (int)(cells[tone * STRIDE + 4 * k] * per_unit), i = tone * EARSHOT_GRID_SYMBOL_COUNT + k;
                float value = table[place < EARSHOT_GRID_TABLE_COUNT ? place : EARSHOT_GRID_TABLE_COUNT - 1];
                value *= with_products ? (float)(1 + i % 3) : 1;
                expected += value;
                expect(with_products ? fabs(products[i] - value) : 0, 0, "products", form, k);
            }
            expect(fabs(ratios[k] - expected), 0, "ratios", form, k);
        }
    }
}

static void test_symbols(int form, int window) {
    enum { SYMBOLS = EARSHOT_SYMBOL_COUNT };
    static float x[2 * SYMBOLS * 128], turns[2048], y[SYMBOLS * 64];
    float scales[SYMBOLS];
    int quarter = window / 4, tone_count = window / 2, lowest = 1 - tone_count, first_point = (1 - lowest) / 2 % 4;
    for (int i = 0; i < 2 * SYMBOLS * window; i++) {
        x[i] = (float)(2 * uniform() - 1);
    }
    for (int i = 0; i < SYMBOLS; i++) {
        scales[i] = (float)((1 + uniform()) / (window * window));
    }
    make_turns(window, lowest, first_point, quarter, turns);
    earshot_tone_energies(form, (size_t)window, turns, x, scales, y);
    for (int symbol = 0; symbol < SYMBOLS; symbol++) {
        for (int tone = 0; tone < tone_count; tone++) {
            double complex sum = 0;
            for (int n = 0; n < window; n++) {
                const float *sample = x + 2 * (symbol * window + n);
                sum += (sample[0] + I * sample[1]) * cexp(-2 * I * pi * ((tone - tone_count / 2 + 0.5) * n / window));
            }
            double expected = scales[symbol] * creal(sum * conj(sum));
            expect(fabs(y[symbol * tone_count + tone] - expected), 4e-6, "tones", form, tone);
        }
    }
}

/// The transform has only one form. Its error grows with the number of stages, log₄ N, and
/// with the size of the values, about √N.
static void test_transform(int length, int is_inverse) {
    enum { LONGEST = 2048 };
    static float x[2 * LONGEST], factors[2 * LONGEST], work[2 * LONGEST], y[2 * LONGEST];
    float *factor = factors;
    for (int n = length; n >= 4; n /= 4) {
        for (int i = 0; i < n / 4 * 3; i++, factor += 2) {
            double angle = -2 * pi * (1 + i / (n / 4)) * (i % (n / 4)) / n;
            factor[0] = (float)cos(angle);
            factor[1] = (float)sin(angle);
        }
    }
    expect(fabs((double)(factor - factors) / 2 - (double)earshot_transform_factor_count((size_t)length)), 0, "factors", 0, length);
    for (int n = 0; n < 2 * length; n++) {
        x[n] = (float)(2 * uniform() - 1);
    }
    earshot_transform(x, (size_t)length, factors, is_inverse, work, y);
    for (int k = 0; k < length; k++) {
        double complex sum = 0;
        for (int n = 0; n < length; n++) {
            sum += (x[2 * n] + I * x[2 * n + 1]) * cexp((is_inverse ? 2 : -2) * I * pi * ((long)k * n % length) / length);
        }
        double error = cabs(y[2 * k] + I * y[2 * k + 1] - sum);
        expect(error, 5 * (1 + log2(length)) * 0x1p-24 * sqrt(length), "transform", 0, length);
    }
}

int main(void) {
    for (int length = 1; length <= 2048; length *= 2) {
        test_transform(length, 0);
        test_transform(length, 1);
    }
    printf("transforms: %s\n", failure_count ? "differ" : "agree with their twin");
    int best = earshot_best_form();
    for (int form = 0; form <= best; form++) {
        test_filters(form, 1, 16, 128);
        test_filters(form, 1, 32, 256);
        test_filters(form, 10, 147, 128);
        test_block(form, 32, 18);
        test_block(form, 64, 36);
        test_block(form, 128, 72);
        test_block(form, 64, 51);
        test_symbols(form, 32);
        test_symbols(form, 64);
        test_symbols(form, 128);
        printf("%s: %s\n", form_names[form], failure_count ? "differs" : "agrees with its twin");
    }
    return failure_count > 0;
}
