import CEarshotKernels

// The names that EarshotModem and others still use.
extension FFTPlan {
    /// See `withMutableSamples`.
    @inline(__always)
    public mutating func withInput(_ body: (inout MutableSpan<ComplexSample>) -> Void) { withMutableSamples(body) }

    /// See `withSpectrum`.
    @inline(__always)
    public borrowing func withOutput(_ body: (Span<ComplexSample>) -> Void) { withSpectrum(body) }

    /// See `forward`.
    public mutating func execute() { forward() }

    /// Makes x of the last X: x[n] = conj(X[n]·z[n]).
    public mutating func feedBack(times z: Span<ComplexSample>) {
        precondition(
            batchCount == 1 && z.count == length, "\(z.count) factors for \(batchCount) times \(length) points")
        z.withUnsafeBufferPointer { z in
            earshot_conjugate_products(
                UnsafePointer(spectrum.baseAddress!).pairs, z.baseAddress!.pairs, length, samples.baseAddress!.pairs)
        }
    }
}
