import EarshotDSP

/// What correlations and convolutions by FFT are made of. A plan only transforms forwards: the inverse transform of X is
/// the conjugate of the transform of X's conjugate, over N.

extension SIMD2<Float> {
    /// x − jy.
    @inline(__always)
    var conjugate: ComplexSample { ComplexSample(x, -y) }
}

/// Transforms x[range], zeros standing for what lies outside 0 ..< `sampleCount` and behind the range.
func transformPiece(_ plan: inout FFTPlan, _ x: [ComplexSample], _ range: Range<Int>, sampleCount: Int) {
    let samples = x.span
    let filled = range.clamped(to: 0..<sampleCount)
    let first = filled.lowerBound - range.lowerBound
    plan.withInput { input in
        for n in input.indices {
            input[n] = ComplexSample()
        }
        for n in 0..<filled.count {
            input[first + n] = samples[filled.lowerBound + n]
        }
    }
    plan.execute()
}

/// y[first + n] = scale·conj(X[from + n]), n = 0 ..< count.
func copyConjugate(
    _ plan: borrowing FFTPlan, from start: Int = 0, count: Int, scale: Float = 1, into y: inout [ComplexSample],
    at first: Int = 0
) {
    var target = y.mutableSpan
    plan.withOutput { spectrum in
        for n in 0..<count {
            target[first + n] = spectrum[start + n].conjugate * scale
        }
    }
}

/// sum[k] += X[k]·y[k].
func addProducts(_ plan: borrowing FFTPlan, times y: [ComplexSample], to sum: inout [ComplexSample]) {
    let factors = y.span
    var total = sum.mutableSpan
    plan.withOutput { spectrum in
        for bin in spectrum.indices {
            total[bin] += spectrum[bin].times(factors[bin])
        }
    }
}

/// The transform of the conjugate of X·y replaces X: N times the conjugate of the convolution.
func convolve(_ plan: inout FFTPlan, with y: [ComplexSample], from first: Int = 0) {
    plan.feedBack(times: y.span.extracting(first..<first + plan.length))
    plan.execute()
}

/// y[first + n] = |X[from + n]|², n = 0 ..< count; X's bins below 0 are its last ones. Tone m is bin m − M/2 where
/// half a spacing has been mixed away.
func writePowers(
    _ plan: borrowing FFTPlan, from start: Int = 0, count: Int, into y: inout [Float], at first: Int
) {
    var target = y.mutableSpan
    plan.withOutput { spectrum in
        let below = min(max(-start, 0), count)
        for n in 0..<below {
            target[first + n] = spectrum[spectrum.count + start + n].power
        }
        for n in below..<count {
            target[first + n] = spectrum[start + n].power
        }
    }
}
