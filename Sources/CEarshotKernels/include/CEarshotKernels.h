// The inner loops that have to be wide: see Kernels.c for how each is compiled, and EarshotDSP for who calls them.
//
// Complex numbers are pairs of floats, real part first. Nothing here allocates, and no pointer is kept.
#ifndef CEARSHOTKERNELS_H
#define CEARSHOTKERNELS_H

#include <stddef.h>
#include <stdint.h>

/// x[i] = n[i] / 2¹⁵. Exact.
void earshot_floats_from_int16(const int16_t *n, size_t count, float *x);

/// y[i] = x[i], limited to ±limit; NaN becomes zero.
void earshot_limit(const float *x, size_t count, float limit, float *y);

/// A polyphase filter with complex taps, and the rotation behind it:
///
///     y[i] = rotations[(rotation + i) mod rotation_count] · Σₖ x[⌊p/phase_count⌋ + k]·taps[row][.][k],
///     p = phase + i·advance,   row = ⌊(p mod phase_count)·table_count/phase_count⌋
///
/// taps has the shape [table_count][2][tap_count], cosines first; tap_count is a multiple of 8. The order of the additions
/// of one output does not depend on how many are asked for.
void earshot_polyphase(
    const float *x, const float *taps, size_t tap_count, size_t table_count, size_t phase_count, size_t advance,
    size_t phase, const float *rotations, size_t rotation_count, size_t rotation, float *y, size_t count);

/// y[i] = x[i]·z[i], complex; count complex numbers.
void earshot_complex_products(const float *x, const float *z, size_t count, float *y);

/// The powers at the points of spectra, and between them. For each row of complex points, of which X[−2] is the first,
///
///     at[k] = scale·|X[k]|²,   below[k] = scale·|a·(X[k − 1] − X[k]) + b·(X[k − 2] − X[k + 1])|²
///
/// y alternates below[k], at[k] for k = 0 ..< pair_count, or, where at_first is not 0, at[k], below[k + 1].
/// Points have the shape [row_count][length], y [row_count][2·pair_count]. pair_count is a multiple of 8, and
/// pair_count + 4 at most length.
void earshot_half_spacing_powers(
    const float *points, size_t length, size_t row_count, size_t pair_count, float scale, float a, float b, int at_first,
    float *y);

/// logs[bin] = Σ log2(s·E[row][bin] + smallest), by the parabola of fastLog2, and means[bin] = Σ s·E[row][bin], over the
/// rows, which are stride apart. s is 1, or, where shares is not null, 1/shares[row], and rows with less than least_share
/// are left out.
void earshot_sum_rows(
    const float *energies, size_t stride, size_t row_count, size_t bin_count, const float *shares, float least_share,
    float smallest, float *logs, float *means);

/// 1/floor for each bin: see NoiseFloor.swift. smoothed_log and smoothed_mean are in the units that
/// `earshot_sum_rows` adds up, divided by the number of rows; weight is what the latest block counts.
void earshot_smooth_floor(
    const float *logs, const float *means, size_t bin_count, float scale, float weight, float *smoothed_logs,
    float *smoothed_means);

/// inverse[bin] = min(2^−max(smoothed_logs[bin], scale·logs[bin] − 1) / e^γ, largest), by the parabola of fastExp2.
void earshot_invert_floor(
    const float *logs, const float *smoothed_logs, size_t bin_count, float scale, float largest, float *inverse);

/// The value that would stand at index rank after sorting, by counting for eight values after the other how many are
/// less. No NaN, and one value at least. Cost: count²/8 comparisons on the average; for few values less than by selection, whose
/// jumps no processor foresees.
float earshot_select(const float *values, size_t count, size_t rank);

/// cells[row][i] = c·x/(c + x),  x = cells[row][i]·inverse[i],  for the first count of each row; rows are stride apart.
void earshot_saturate(float *cells, size_t stride, size_t row_count, const float *inverse, size_t count, float c);

/// sums[row][column] = Σᵢ cells[row·stride + firsts[i] + column] for i in 0 ..< 8, and maxima[row], the largest of the row.
/// column_count is a multiple of 8 and the distance from row to row of sums.
void earshot_pattern_sums(
    const float *cells, size_t stride, size_t row_count, const ptrdiff_t firsts[8], size_t column_count, float *sums,
    float *maxima);

/// Eight stretches of baseband, each mixed with a tone of its own and summed piece by piece:
///
///     s[piece][i] = Σₙ x[firsts[i] + piece·length + n]·stepᵢ^(piece·length + n),   n = 0 ..< length
///
/// step holds eight real parts, then eight imaginary ones; s has the shape [piece_count][2][8], real parts first.
/// length is at most 64.
void earshot_piece_sums(
    const float *x, const ptrdiff_t firsts[8], const float step[16], size_t piece_count, size_t length, float *s);

/// energies[i] = scale·|Σₖ s[k][i]·turns[k]|² for eight stretches; s as `earshot_piece_sums` wrote it, turns complex.
void earshot_piece_energies(const float *s, const float *turns, size_t piece_count, float scale, float energies[8]);

#endif
