// What correlations and convolutions by Fourier transform are made of, for plans of one transform.

extension FFTPlan {
    /// Makes x[range] the samples, with zeros for what lies outside x and behind the range.
    /// - Parameters:
    ///   - x: the signal; any length.
    ///   - range: at most N long counts; the rest is left out.
    public mutating func load(_ x: Span<ComplexSample>, _ range: Range<Int>) {
        let known = x.extracting(0..<min(max(range.upperBound, 0), x.count))
        withMutableSamples { copyZeroPadded(known, from: range.lowerBound, into: &$0) }
    }

    /// Makes X the spectrum.
    /// - Parameter spectrum: X; shape [batchCount·N].
    public mutating func loadSpectrum(_ spectrum: Span<ComplexSample>) {
        withMutableSpectrum { copyZeroPadded(spectrum, from: 0, into: &$0) }
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

    /// y[first + k] = X[k], k = 0 ..< batchCount·N.
    public borrowing func copySpectrum(into y: inout [ComplexSample], at first: Int = 0) {
        var y = y.mutableSpan
        withSpectrum { spectrum in
            for k in spectrum.indices {
                y[first + k] = spectrum[k]
            }
        }
    }

    /// sum[k] += X[k]·z*[k], k = 0 ..< batchCount·N: adds the spectrum of a correlation with a reference of spectrum z.
    public borrowing func addSpectrum(timesConjugateOf z: Span<ComplexSample>, to sum: inout [ComplexSample]) {
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
