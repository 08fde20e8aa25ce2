// The transforms of Spectrogram.c for vectors of LANES rows: included once for each form.

#define NAME3(a, b) a##_##b
#define NAME2(a, b) NAME3(a, b)
#define NAME(a) NAME2(a, FORM)
#define Vector NAME(Vector)
#define Complex NAME(Complex)

typedef float Vector __attribute__((vector_size(4 * LANES), aligned(4)));
typedef struct {
    Vector re, im;
} Complex;

/// z becomes z·w.
INLINE TARGET void NAME(multiply)(Complex *z, const float *w) {
    Vector re = z->re * w[0] - z->im * w[1];
    z->im = z->re * w[1] + z->im * w[0];
    z->re = re;
}

/// The transform of four points, in place; the second point of the input is `step` after the first.
INLINE TARGET void NAME(transform_four)(Complex *x, size_t step) {
    Complex a = x[0], b = x[step], c = x[2 * step], d = x[3 * step];
    Complex even = {a.re + c.re, a.im + c.im}, odd = {a.re - c.re, a.im - c.im};
    Complex sum = {b.re + d.re, b.im + d.im}, turned = {b.im - d.im, d.re - b.re};
    x[0] = (Complex){even.re + sum.re, even.im + sum.im};
    x[step] = (Complex){odd.re + turned.re, odd.im + turned.im};
    x[2 * step] = (Complex){even.re - sum.re, even.im - sum.im};
    x[3 * step] = (Complex){odd.re - turned.re, odd.im - turned.im};
}

/// The transform of eight points x; the outputs are `step` apart.
INLINE TARGET void NAME(transform_eight)(const Complex *x, Complex *y, size_t step) {
    const float s = 0.70710678f;
    Complex v[8];
    for (int i = 0; i < 8; i++) {
        v[i] = x[i];
    }
    NAME(transform_four)(v, 2);
    NAME(transform_four)(v + 1, 2);
    Complex turned[4] = {
        v[1],
        {s * (v[3].re + v[3].im), s * (v[3].im - v[3].re)},
        {v[5].im, -v[5].re},
        {s * (v[7].im - v[7].re), -s * (v[7].re + v[7].im)},
    };
    for (int k = 0; k < 4; k++) {
        y[k * step] = (Complex){v[2 * k].re + turned[k].re, v[2 * k].im + turned[k].im};
        y[(k + 4) * step] = (Complex){v[2 * k].re - turned[k].re, v[2 * k].im - turned[k].im};
    }
}

/// The points of LANES rows. First over the four quarters, at half spacings: four odd eighths of a turn. Sample b of
/// quarter a is at b·sample_stride + a·quarter_stride.
INLINE TARGET void NAME(transform)(
    size_t first_point, size_t split, const float *turns, const float *real, const float *imaginary,
    size_t sample_stride, size_t quarter_stride, Complex *points) {
    const float s = 0.70710678f;
    const size_t quarter = 8 * split;
    Complex y[4][MAXIMUM_QUARTER];
    for (size_t b = 0; b < quarter; b++) {
        Complex x[4];
        for (int a = 0; a < 4; a++) {
            size_t place = b * sample_stride + a * quarter_stride;
            x[a] = (Complex){*(const Vector *)(real + place), *(const Vector *)(imaginary + place)};
        }
        Complex p = {x[1].re - x[3].re, x[1].im - x[3].im}, q = {x[1].re + x[3].re, x[1].im + x[3].im};
        Complex c = {x[0].re + x[2].im, x[0].im - x[2].re}, d = {x[0].re - x[2].im, x[0].im + x[2].re};
        Complex e = {s * (p.re + q.im), s * (p.im - q.re)}, f = {s * (q.im - p.re), -s * (p.im + q.re)};
        y[0][b] = (Complex){c.re + e.re, c.im + e.im};
        y[1][b] = (Complex){d.re + f.re, d.im + f.im};
        y[2][b] = (Complex){c.re - e.re, c.im - e.im};
        y[3][b] = (Complex){d.re - f.re, d.im - f.im};
        for (int slot = 0; slot < 4; slot++) {
            NAME(multiply)(&y[slot][b], turns + 2 * (slot * quarter + b));
        }
    }
    const float *inner = turns + 8 * quarter;
    for (size_t slot = 0; slot < 4; slot++) {
        Complex *x = y[slot], *first = points + ((first_point + slot) & 3);
        for (size_t b = 0; b < 8 && split > 1; b++) {
            if (split == 2) {
                Complex low = x[b], high = x[b + 8];
                x[b] = (Complex){low.re + high.re, low.im + high.im};
                x[b + 8] = (Complex){low.re - high.re, low.im - high.im};
            } else {
                NAME(transform_four)(x + b, 8);
            }
            for (size_t k = 1; k < split; k++) {
                NAME(multiply)(&x[8 * k + b], inner + 2 * (8 * k + b));
            }
        }
        for (size_t k = 0; k < split; k++) {
            NAME(transform_eight)(x + 8 * k, first + 4 * k, 4 * split);
        }
    }
}

/// The energies of LANES rows, from the points that begin with X[−2].
INLINE TARGET void NAME(write_energies)(
    const struct earshot_spectrogram *spectrogram, const Complex *points, float *energies) {
    const float scale = spectrogram->scale, near = spectrogram->near, far = spectrogram->far;
    for (size_t bin = 0; bin < spectrogram->bin_count; bin++) {
        int is_between = (bin % 2 == 0) != (spectrogram->is_tone_first != 0);
        const Complex *x = points + (bin + 1) / 2;
        Complex value;
        if (is_between) {
            value.re = near * (x[1].re - x[2].re) + far * (x[0].re - x[3].re);
            value.im = near * (x[1].im - x[2].im) + far * (x[0].im - x[3].im);
        } else {
            value = points[bin / 2 + 2];
        }
        *(Vector *)(energies + bin * ROW_COUNT) = scale * (value.re * value.re + value.im * value.im);
    }
}

TARGET static void NAME(make_energies)(
    const struct earshot_spectrogram *spectrogram, const float *turns, const float *x, float *energies) {
    float real[MAXIMUM_QUARTER * COLUMN_STRIDE], imaginary[MAXIMUM_QUARTER * COLUMN_STRIDE];
    Complex points[EARSHOT_MAXIMUM_WINDOW];
    const size_t quarter = spectrogram->window / 4;
    transpose_squares(x, quarter, COLUMN_COUNT, quarter, COLUMN_STRIDE, real, imaginary);
    for (size_t row = 0; row < ROW_COUNT; row += LANES) {
        size_t first_point = spectrogram->first_point;
        switch (spectrogram->window) {
        case 32:
            NAME(transform)(first_point, 1, turns, real + row, imaginary + row, COLUMN_STRIDE, 1, points);
            break;
        case 64:
            NAME(transform)(first_point, 2, turns, real + row, imaginary + row, COLUMN_STRIDE, 1, points);
            break;
        default:
            NAME(transform)(first_point, 4, turns, real + row, imaginary + row, COLUMN_STRIDE, 1, points);
        }
        NAME(write_energies)(spectrogram, points, energies + row);
    }
}

#if LANES <= 8
/// The energies of the tones of eight symbols.
TARGET static void NAME(tone_energies)(
    size_t window, const float *turns, const float *x, const float *scales, float *y) {
    enum { STRIDE = EARSHOT_SYMBOL_COUNT };
    float real[EARSHOT_MAXIMUM_WINDOW * STRIDE], imaginary[EARSHOT_MAXIMUM_WINDOW * STRIDE];
    Complex points[EARSHOT_MAXIMUM_WINDOW];
    transpose_squares(x, window, STRIDE, window, STRIDE, real, imaginary);
    const size_t tone_count = window / 2, first_point = tone_count / 2 % 4, quarter_stride = window / 4 * STRIDE;
    for (size_t symbol = 0; symbol < STRIDE; symbol += LANES) {
        const float *re = real + symbol, *im = imaginary + symbol;
        switch (window) {
        case 32:
            NAME(transform)(first_point, 1, turns, re, im, STRIDE, quarter_stride, points);
            break;
        case 64:
            NAME(transform)(first_point, 2, turns, re, im, STRIDE, quarter_stride, points);
            break;
        default:
            NAME(transform)(first_point, 4, turns, re, im, STRIDE, quarter_stride, points);
        }
        const Vector scale = *(const Vector *)(scales + symbol);
        for (size_t tone = 0; tone < tone_count; tone += 4) {
            Vector powers[4];
            for (size_t i = 0; i < 4; i++) {
                Complex z = points[tone + i];
                powers[i] = scale * (z.re * z.re + z.im * z.im);
            }
            for (size_t lane = 0; lane < LANES; lane++) {
                *(Four *)(y + (symbol + lane) * tone_count + tone) =
                    (Four){powers[0][lane], powers[1][lane], powers[2][lane], powers[3][lane]};
            }
        }
    }
}
#endif

TARGET static void NAME(sum_energies)(
    const float *energies, size_t bin_count, const float *scales, const float *weights, float minimum, float *logs,
    float *means, float *row_logs, float *row_means) {
    const Sixteen scale = *(const Sixteen *)scales, weight = *(const Sixteen *)weights;
    Sixteen row_log = {0}, row_mean = {0};
    for (size_t first = 0; first < bin_count; first += 16) {
        size_t present = bin_count - first < 16 ? bin_count - first : 16;
        Sixteen log_lanes[16], mean_lanes[16];
        for (size_t i = present; i < 16; i++) {
            log_lanes[i] = mean_lanes[i] = (Sixteen){0};
        }
        for (size_t i = 0; i < present; i++) {
            const Sixteen *rows = (const Sixteen *)(energies + (first + i) * ROW_COUNT);
            Sixteen energy = scale
                * __builtin_shufflevector(rows[0], rows[1], 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
            Sixteen shifted = energy + minimum;
            logarithms(&shifted, &log_lanes[i]);
            log_lanes[i] *= weight;
            mean_lanes[i] = weight * energy;
            row_log += log_lanes[i];
            row_mean += mean_lanes[i];
        }
        Sixteen log_sums, mean_sums;
        add_lanes(log_lanes, &log_sums);
        add_lanes(mean_lanes, &mean_sums);
        if (present == 16) {
            *(Sixteen *)(logs + first) = log_sums;
            *(Sixteen *)(means + first) = mean_sums;
        } else {
            memcpy(logs + first, &log_sums, present * sizeof *logs);
            memcpy(means + first, &mean_sums, present * sizeof *means);
        }
    }
    *(Sixteen *)row_logs = row_log;
    *(Sixteen *)row_means = row_mean;
}

TARGET static void NAME(saturate)(
    const float *energies, size_t bin_count, const float *inverse, float c, float *cells, size_t stride) {
    for (size_t bin = 0; bin < bin_count; bin++) {
        const Sixteen *x = (const Sixteen *)(energies + bin * ROW_COUNT);
        Sixteen *y = (Sixteen *)(cells + bin * stride);
        // One division serves two cells: 1/a = b·(1/(a·b)). If a·b overflows, both are far beyond c.
        Sixteen a = c + x[0] * inverse[bin], b = c + x[1] * inverse[bin];
        Sixteen quotient = c * c / (a * b);
        y[0] = c - b * quotient;
        y[1] = c - a * quotient;
    }
}

TARGET static void NAME(sum_patterns)(
    const float *cells, const ptrdiff_t firsts[8], size_t stride, size_t offset_count, float *sums, size_t sum_stride,
    float *maxima) {
    Sixteen highest[2] = {{0}, {0}};
    for (size_t offset = 0; offset < offset_count; offset++) {
        const float *start = cells + offset * stride;
        for (int half = 0; half < 2; half++) {
            Sixteen parts[8];
            for (int i = 0; i < 8; i++) {
                parts[i] = *(const Sixteen *)(start + firsts[i] + 16 * half);
            }
            Sixteen sum = ((parts[0] + parts[1]) + (parts[4] + parts[5])) + ((parts[2] + parts[3]) + (parts[6] + parts[7]));
            *(Sixteen *)(sums + offset * sum_stride + 16 * half) = sum;
            SixteenIntegers above = sum > highest[half];
            highest[half] = (Sixteen)(((SixteenIntegers)sum & above) | ((SixteenIntegers)highest[half] & ~above));
        }
    }
    memcpy(maxima, highest, sizeof highest);
}

/// The sum of four cells for sixteen rows. Not returned, because compilers warn about vectors that some forms return in
/// memory.
INLINE TARGET void NAME(sum_group)(const float *start, const ptrdiff_t firsts[4], Sixteen *sum) {
    *sum = (*(const Sixteen *)(start + firsts[0]) + *(const Sixteen *)(start + firsts[1]))
        + (*(const Sixteen *)(start + firsts[2]) + *(const Sixteen *)(start + firsts[3]));
}

TARGET static void NAME(sum_drifts)(
    const float *cells, const ptrdiff_t firsts[8], size_t stride, size_t offset_count, size_t reach, size_t step,
    float extra, float *groups, float *sums, size_t sum_stride, float *maxima) {
    const ptrdiff_t count = (ptrdiff_t)offset_count, farthest = (ptrdiff_t)reach, apart = (ptrdiff_t)step;
    for (ptrdiff_t offset = 0; offset < count; offset++) {
        for (int half = 0; half < 2; half++) {
            const float *start = cells + offset * (ptrdiff_t)stride + 16 * half;
            Sixteen *group = (Sixteen *)(groups + 64 * offset + 16 * half);
            NAME(sum_group)(start, firsts, &group[0]);
            NAME(sum_group)(start, firsts + 4, &group[2]);
            group[2] -= extra;
        }
    }
    Sixteen highest[2];
    memcpy(highest, maxima, sizeof highest);
    for (ptrdiff_t offset = 0; offset < count; offset++) {
        for (int half = 0; half < 2; half++) {
            const float *rows = groups + 16 * half;
            Sixteen best = *(Sixteen *)(sums + offset * (ptrdiff_t)sum_stride + 16 * half);
            for (ptrdiff_t drift = -farthest; drift <= farthest; drift += apart) {
                // Rounded down below zero too.
                const ptrdiff_t first = offset - (drift >> 1), second = first + drift;
                if (drift == 0 || first < 0 || second < 0 || first >= count || second >= count) continue;
                Sixteen sum = *(const Sixteen *)(rows + 64 * first) + *(const Sixteen *)(rows + 64 * second + 32);
                SixteenIntegers above = sum > best;
                best = (Sixteen)(((SixteenIntegers)sum & above) | ((SixteenIntegers)best & ~above));
            }
            *(Sixteen *)(sums + offset * (ptrdiff_t)sum_stride + 16 * half) = best;
            SixteenIntegers above = best > highest[half];
            highest[half] = (Sixteen)(((SixteenIntegers)best & above) | ((SixteenIntegers)highest[half] & ~above));
        }
    }
    memcpy(maxima, highest, sizeof highest);
}

#undef NAME3
#undef NAME2
#undef NAME
#undef Vector
#undef Complex
