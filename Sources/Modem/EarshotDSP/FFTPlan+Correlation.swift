import CEarshotKernels

// The steps of correlations and convolutions by Fourier transform, for plans of one transform.

extension FFTPlan {
    /// Sets the samples to x[range], with zeros outside x and after the range.
    /// - Parameters:
    ///   - x: the signal; any length.
    ///   - range: the first N of it count; the rest is left out.
    public mutating func load(_ x: [ComplexSample], _ range: Range<Int>) {
        load(x.span, range)
    }

    /// Sets the samples to x[range], with zeros outside x and after the range.
    /// - Parameters:
    ///   - x: the signal; any length.
    ///   - range: the first N of it count; the rest is left out.
    public mutating func load(_ x: Span<ComplexSample>, _ range: Range<Int>) {
        let known = x.extracting(0..<min(max(range.upperBound, 0), x.count))
        withMutableSamples { copyZeroPadded(known, from: range.lowerBound, into: &$0) }
    }

    /// Sets the spectrum to X.
    /// - Parameter spectrum: X; shape [N].
    public mutating func loadSpectrum(_ spectrum: [ComplexSample]) {
        withMutableSpectrum { copyZeroPadded(spectrum.span, from: 0, into: &$0) }
    }

    /// X[k] becomes X[k]·z[first + k]: convolution with a signal of spectrum z.
    /// - Parameters:
    ///   - z: shape [first + N or more].
    ///   - first: the index of the first factor in z.
    public mutating func multiplySpectrum(by z: [ComplexSample], from first: Int = 0) {
        precondition(spectrum.count == length && first >= 0 && first + length <= z.count)
        z.withUnsafeBufferPointer { z in
            earshot_multiply(spectrum.baseAddress!.pairs, (z.baseAddress! + first).pairs, length)
        }
    }

    /// X[k] becomes X[k]·z*[first + k]: correlation with a reference of spectrum z.
    /// - Parameters:
    ///   - z: shape [first + N or more].
    ///   - first: the index of the first factor in z.
    public mutating func multiplySpectrum(byConjugateOf z: [ComplexSample], from first: Int = 0) {
        precondition(spectrum.count == length && first >= 0 && first + length <= z.count)
        z.withUnsafeBufferPointer { z in
            earshot_multiply_by_conjugate(spectrum.baseAddress!.pairs, (z.baseAddress! + first).pairs, length)
        }
    }

    /// y[first + i] = scale·x[range[i]].
    public borrowing func copySamples(
        _ range: Range<Int>, scale: Float = 1, into y: inout [ComplexSample], at first: Int = 0
    ) {
        var y = y.mutableSpan
        withSamples { samples in
            for i in 0..<range.count {
                y[first + i] = samples[range.lowerBound + i] * scale
            }
        }
    }

    /// y[first + k] = X[k], k = 0 ..< N.
    public borrowing func copySpectrum(into y: inout [ComplexSample], at first: Int = 0) {
        var y = y.mutableSpan
        withSpectrum { spectrum in
            for k in spectrum.indices {
                y[first + k] = spectrum[k]
            }
        }
    }

    /// sum[k] += X[k]·z*[k], k = 0 ..< N: adds the spectrum of a correlation with a reference of spectrum z.
    public borrowing func addSpectrum(timesConjugateOf z: [ComplexSample], to sum: inout [ComplexSample]) {
        let z = z.span
        var sum = sum.mutableSpan
        withSpectrum { spectrum in
            for k in spectrum.indices {
                sum[k] += spectrum[k].times(z[k].conjugate)
            }
        }
    }

    /// y[first + i] = |X[bins[i]]|². Bins below 0, as far as −N, are the last ones.
    public borrowing func copyPowers(ofBins bins: Range<Int>, into y: inout [Float], at first: Int = 0) {
        var y = y.mutableSpan
        withSpectrum { spectrum in
            let below = min(max(-bins.lowerBound, 0), bins.count)
            for i in 0..<below {
                y[first + i] = spectrum[spectrum.count + bins.lowerBound + i].power
            }
            for i in below..<bins.count {
                y[first + i] = spectrum[bins.lowerBound + i].power
            }
        }
    }
}
