// The inner loops that need vector instructions. Kernels.c explains how each is compiled; EarshotDSP, EarshotCoding and
// EarshotModem call them.
//
// Complex numbers are pairs of floats, real part first. No kernel allocates or keeps a pointer. Arrays must not overlap.
#ifndef CEARSHOTKERNELS_H
#define CEARSHOTKERNELS_H

#include <stddef.h>
#include <stdint.h>

/// The forms of the kernels that have several: plain vectors for any processor, AVX2 with fused products, and AVX-512
/// with VNNI. All forms of a kernel give the same result within rounding; a processor that supports one supports those
/// before it.
enum { EARSHOT_PLAIN, EARSHOT_AVX2, EARSHOT_AVX512 };

/// The best form that this processor supports.
int earshot_best_form(void);

/// x[i] = n[i] / 2¹⁵. Exact.
void earshot_floats_from_int16(const int16_t *n, size_t count, float *x);

/// y[i] = x[i], limited to ±limit; NaN becomes 0.
void earshot_limit(const float *x, size_t count, float limit, float *y);

/// Converts floats that are 16-bit integers over 2¹⁵: n[i] = 2¹⁵·x[i]. NaN counts as 0. Returns the number of samples
/// before the first one that is not such an integer. More elements of n may be written.
size_t earshot_leading_integers(const float *x, size_t count, int16_t *n);

/// The same for a stretch in which fewer than `gap` integers follow one another; x[0] is not an integer, gap is 64 or
/// more. Returns the number of samples up to the last one of this stretch that is not an integer; n is written after
/// it.
size_t earshot_leading_fractions(const float *x, size_t count, size_t gap, int16_t *n);

/// A polyphase filter with complex taps, of phase_count phases, followed by a rotation:
///
///     y[i] = rotations[(rotation + i) mod rotation_count] · Σₖ x[⌊p/phase_count⌋ + k]·taps[row][.][k],
///     p = phase + i·advance,   row = ⌊(p mod phase_count)·table_count/phase_count⌋
///
/// taps has the shape [table_count][2][tap_count], cosines first; tap_count is a multiple of 32. rotations has the
/// shape [rotation_count + 7], the last 7 like the first ones. The order of the additions of an output does not depend
/// on count.
struct earshot_polyphase {
    size_t tap_count, table_count, phase_count, advance, rotation_count;
};

/// The filter for floats, by any form.
void earshot_filter_floats(
    int form, const struct earshot_polyphase *filter, const float *x, const float *taps, size_t phase,
    const float *rotations, size_t rotation, float *y, size_t count);

/// The filter for integers, by any form: Σₖ = (Σ₀ + Σ₁) + (Σ₂ + Σ₃) in floats, Σ_g in integers over k with ⌊k/8⌋ mod 4
/// = g. 2¹⁵·Σ|taps[row][.][k]| over these k must be below 2³¹. Then all forms give the same result, to the bit.
void earshot_filter_integers(
    int form, const struct earshot_polyphase *filter, const int16_t *x, const int16_t *taps, size_t phase,
    const float *rotations, size_t rotation, float *y, size_t count);

/// y[i] = x[i]·z[i], complex; count complex numbers.
void earshot_complex_products(const float *x, const float *z, size_t count, float *y);

/// z[d] = Σₖ x[k][d]·p[k·step mod period], complex, with real and imaginary parts apart.
///
/// x has the shape [count][width], z [width], p [period] with both parts of each number together. width is a multiple of 8,
/// step at most period.
void earshot_turned_sums(
    const float *x_real, const float *x_imaginary, size_t width, size_t count, const float *p, size_t step, size_t period,
    float *z_real, float *z_imaginary);

/// The number of complex factors that `earshot_transform` takes, Σ 3n/4 over n = N, N/4, N/16 … from 4 on.
size_t earshot_transform_factor_count(size_t length);

/// y[k] = Σₙ x[n]·e^{∓j2πkn/N}, n, k = 0 ..< N, complex; + if is_inverse is not 0. N, the length, is a power of two.
///
/// factors has, for each n as above in turn, e^{−j2πmp/n}, shape [3][n/4], m = 1 ..< 4 and p = 0 ..< n/4. work has room
/// for N complex numbers. x does not change.
void earshot_transform(
    const float *x, size_t length, const float *factors, int is_inverse, float *work, float *y);

/// x[i] becomes x[i]·z[i], complex; count complex numbers.
void earshot_multiply(float *x, const float *z, size_t count);

/// x[i] becomes x[i]·z*[i], complex; count complex numbers.
void earshot_multiply_by_conjugate(float *x, const float *z, size_t count);

/// The powers at the points of spectra, and between them. For each row of complex points, of which X[−2] is the first,
///
///     at[k] = scale·|X[k]|²,   below[k] = scale·|a·(X[k − 1] − X[k]) + b·(X[k − 2] − X[k + 1])|²
///
/// y alternates below[k], at[k] for k = 0 ..< pair_count, or, if at_first is not 0, at[k], below[k + 1]. Points have
/// the shape [row_count][length], y [row_count][2·pair_count]. pair_count is a multiple of 8, and pair_count + 4 at
/// most length.
void earshot_half_spacing_powers(
    const float *points, size_t length, size_t row_count, size_t pair_count, float scale, float a, float b, int at_first,
    float *y);

/// logs[bin] = Σ log2(s·E[row][bin] + minimum), by the parabola of fastLog2, and means[bin] = Σ s·E[row][bin], over the
/// rows, which are stride apart. If shares is null, s is 1; otherwise s is 1/shares[row], and rows whose share is below
/// minimum_share are left out.
void earshot_sum_rows(
    const float *energies, size_t stride, size_t row_count, size_t bin_count, const float *shares,
    float minimum_share, float minimum, float *logs, float *means);

/// Moves the smoothed values of each bin towards those of the latest block: smoothed += weight·(scale·value − smoothed).
/// logs and means are the sums of `earshot_sum_rows`, scale is 1 over the number of rows.
void earshot_smooth_floor(
    const float *logs, const float *means, size_t bin_count, float scale, float weight, float *smoothed_logs,
    float *smoothed_means);

/// inverse[bin] = min(2^−max(smoothed_logs[bin], scale·logs[bin] − 1) / e^γ, maximum): 1/floor of each bin, see
/// NoiseFloor.swift. The power of two is by a parabola between whole exponents.
void earshot_invert_floor(
    const float *logs, const float *smoothed_logs, size_t bin_count, float scale, float maximum, float *inverse);

/// The number of rows in a block, and the maximum length of a row's window.
enum { EARSHOT_BLOCK_ROW_COUNT = 32, EARSHOT_MAXIMUM_WINDOW = 128 };

/// The short Fourier transforms of a block: 32 rows of N samples, N/4 apart, see BlockSpectrum.swift.
struct earshot_spectrogram {
    /// N: 32, 64 or 128.
    size_t window;
    /// The number of bins, half a spacing wide, at most 2·N − 7.
    size_t bin_count;
    /// Whether the first bin is a point of the transform, and not between two.
    int is_tone_first;
    /// The point, modulo 4, whose phase advances by an eighth of a turn per quarter.
    size_t first_point;
    /// The weights of the two nearest and the two next points around a bin between points, and the scale of energies.
    float near, far, scale;
};

/// Energies of a block of rows, by any form; shape [bin_count][32].
///
/// x holds 35·N/4 complex samples. turns holds complex factors: e^{−j2πb(k + L/2)/N}, shape [4][N/4], for
/// k = (first_point + i) mod 4, i = 0 ..< 4, L = 1 − 2·first_point modulo 8; then e^{−j2πk·b/(N/4)}, shape [N/32][8].
void earshot_block_energies(
    int form, const struct earshot_spectrogram *spectrogram, const float *turns, const float *x, float *energies);

/// The number of symbols of `earshot_tone_energies`.
enum { EARSHOT_SYMBOL_COUNT = 8 };

/// y[symbol][m] = scales[symbol]·|Σₙ x[symbol][n]·e^{−j2π(m − M/2 + ½)n/N}|² for the M = N/2 tones of eight symbols of N
/// samples, 32, 64 or 128, by any form. turns is that of `earshot_block_energies` for L = 1 − M.
void earshot_tone_energies(
    int form, size_t window, const float *turns, const float *x, const float *scales, float *y);

/// logs[bin] = Σᵢ weights[i]·log2(scales[i]·E[bin][2·i] + minimum), by the parabola of fastLog2, and
/// means[bin] = Σᵢ weights[i]·scales[i]·E[bin][2·i], i = 0 ..< 16, over every other row of a block. row_logs[i] and
/// row_means[i] are the sums of the same terms over the bins.
void earshot_block_sums(
    int form, const float *energies, size_t bin_count, const float *scales, const float *weights, float minimum,
    float *logs, float *means, float *row_logs, float *row_means);

/// E[bin][row] becomes factors[row]·E[bin][row], for the 32 rows of a block.
void earshot_scale_rows(const float *factors, size_t bin_count, float *energies);

/// cells[bin·stride + row] = c·x/(c + x),  x = E[bin][row]·inverse[bin], for the 32 rows of a block.
void earshot_block_saturate(
    int form, const float *energies, size_t bin_count, const float *inverse, float c, float *cells, size_t stride);

/// sums[offset·sum_stride + row] = Σᵢ cells[offset·stride + firsts[i] + row] for i in 0 ..< 8, 32 rows and offset_count
/// offsets; maxima[row] is the maximum over the offsets, or 0.
void earshot_block_patterns(
    int form, const float *cells, const ptrdiff_t firsts[8], size_t stride, size_t offset_count, float *sums,
    size_t sum_stride, float *maxima);

/// Raises the sums of `earshot_block_patterns` for patterns whose last four cells are d offsets higher than the first
/// four: sums[offset·sum_stride + row] becomes the maximum of itself and, for d = −reach ... reach by `step`, except 0,
/// of Σᵢ cells[(offset − ⌊d/2⌋)·stride + firsts[i] + row] + Σⱼ cells[(offset − ⌊d/2⌋ + d)·stride + firsts[j] + row] −
/// extra, i in 0 ..< 4, j in 4 ..< 8, if both offsets are in 0 ..< offset_count. maxima[row] rises with the sums.
/// `groups` has room for offset_count·64 floats.
void earshot_block_drifts(
    int form, const float *cells, const ptrdiff_t firsts[8], size_t stride, size_t offset_count, size_t reach, size_t step,
    float extra, float *groups, float *sums, size_t sum_stride, float *maxima);

/// The value at index rank after sorting, by counting, for eight candidates at a time, the smaller values. One value or
/// more, no NaN. Cost: count²/8 comparisons on average. For few values that is cheaper than selection, whose branches
/// no processor predicts.
float earshot_select(const float *values, size_t count, size_t rank);

/// The same for many values, by halving the range that contains it: floats are ordered like integers, so at most 32
/// times. Cost: about 4·count comparisons.
float earshot_select_of_many(const float *values, size_t count, size_t rank);

/// The maximum number of rows of `earshot_column_selects`.
enum { EARSHOT_MAXIMUM_ROW_COUNT = 256 };

/// selected[column] = the value at index rank after sorting values[rows[i]][column], i in 0 ..< row_count, for each
/// column, by a network of comparisons. values has the shape [][column_count]; column_count is a multiple of 8. No NaN.
void earshot_column_selects(
    const float *values, const int32_t *rows, size_t row_count, size_t column_count, size_t rank, float *selected);

/// max(mean of log2 x[i] + γ/ln 2, log2(self_noise·mean of x[i])),  x[i] = energies[i]·inverse[i], for i in 0 ..< count, a
/// multiple of 8; the logarithms by the parabola of fastLog2. x[i] = 0 counts as 10⁻³⁰.
float earshot_symbol_level(const float *energies, const float *inverse, size_t count, float self_noise);

/// Σᵢ table[⌊cells_per_unit·energies[first + i]·inverse[i]⌋] for i in 0 ..< count, a multiple of 8. Places after the
/// end of the table use its last cell. The products are not negative.
float earshot_sum_of_ratios(
    const float *energies, size_t first, const float *inverse, size_t count, const float *table, size_t table_count,
    float cells_per_unit);

/// sums[o][r] = mean + √max(share·(a² + b²), a², b²),  a = max(0, sums[o][r] − mean), b = max(0, terms[o][r] − mean),
/// maxima[r] = max over o of sums[o][r];  o in 0 ..< offset_count, `stride` apart, r in 0 ..< row_count.
void earshot_add_scores(
    const float *terms, size_t offset_count, size_t stride, size_t row_count, float mean, float share, float *sums,
    float *maxima);

/// The number of cells in the table of `earshot_grid_ratios`, the number of symbols that it sums, and the distance
/// between them.
enum { EARSHOT_GRID_TABLE_COUNT = 64, EARSHOT_GRID_SYMBOL_COUNT = 16, EARSHOT_GRID_ROWS_PER_SYMBOL = 4 };

/// sums[k] = Σₘ products[m][k], products[m][k] *= table[⌊cells_per_unit·cells[m·tone_stride + 4·k]⌋], m in 0 ..<
/// tone_count, k in 0 ..< 16, by any form. If products is NULL, they count as 1 and are not stored. Places before and
/// after the table use its first and last cell. No NaN. All forms give the same result, to the bit.
void earshot_grid_ratios(
    int form, const float *cells, size_t tone_stride, size_t tone_count, const float *table, float cells_per_unit,
    float *products, float *sums);

/// One step of the Viterbi recursion over all states of a linear code of two bits a step:
///
///     new(s') = max over j of ((old(s) & ~3) − offset + λ(tone(s' + j·2^ν)) + j),   s = ⌊s'/4⌋ + j·2^ν/4
///     λ(m) = 4·round(scale·(metrics[m] − minimum of metrics))
///
/// Metrics are multiples of 4; their two low bits are the winning j. In `old` these bits are ignored. tones has the
/// tone of every register, shape [4·2^ν]; state_count, 2^ν, is a multiple of 16; tone_count is at most 64. Returns the
/// maximum metric.
int16_t earshot_trellis_step(
    const float *metrics, size_t tone_count, float scale, const uint8_t *tones, size_t state_count, int16_t offset,
    const int16_t *old, int16_t *new_metrics);

/// Mixes eight stretches of baseband with a tone each, and sums them in pieces:
///
///     s[piece][i] = Σₙ x[firsts[i] + piece·length + n]·stepᵢ^(piece·length + n),   n = 0 ..< length
///
/// step has eight real parts, then eight imaginary ones; s has the shape [piece_count][2][8], real parts first. length
/// is at most 64.
void earshot_piece_sums(
    const float *x, const ptrdiff_t firsts[8], const float step[16], size_t piece_count, size_t length, float *s);

/// energies[i] = scale·|Σₖ s[k][i]·turns[k]|² for eight stretches; s comes from `earshot_piece_sums`, turns is complex.
void earshot_piece_energies(const float *s, const float *turns, size_t piece_count, float scale, float energies[8]);

#endif
