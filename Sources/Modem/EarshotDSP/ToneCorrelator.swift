import CEarshotKernels
import RealModule

/// The energy of a single tone at any frequency in a stretch of baseband: a matched filter.
///
///     E = |1/N · Σₙ x[n]·e^{−j2πfn}|²,   f in cycles a sample
///
/// Goertzel's recursion computes the same. A plain product with the tone has no dependency from sample to sample, and
/// one reference serves many stretches. Cost: N complex products for the reference, N for each energy. No allocation
/// after `init`.
public struct ToneCorrelator: ~Copyable {
    private var reference: [ComplexSample]

    /// Creates a correlator for stretches of `length` samples, tuned to 0.
    /// - Parameter length: N, a multiple of 4, above 0.
    public init(length: Int) {
        precondition(length > 0 && length % 4 == 0, "a stretch of \(length) samples")
        reference = [ComplexSample](repeating: ComplexSample(1, 0), count: length)
    }

    /// The length N of the windows it correlates, in samples.
    public var length: Int { reference.count }

    /// Sets the reference to e^{−j2πfn}.
    /// - Parameter f: cycles a sample, −½ ... ½.
    public mutating func tune(cyclesPerSample f: Float) {
        // Each pass doubles the reference, ref[n + k] = ref[n]·ref[k]: log2(N) roundings, and no dependency in the
        // inner loop.
        var reference = reference.mutableSpan
        reference[0] = ComplexSample(1, 0)
        var filled = 1
        while filled < reference.count {
            let step = unitPhasor(turns: -Double(f * Float(filled)))
            for n in 0..<min(filled, reference.count - filled) {
                reference[filled + n] = reference[n].times(step)
            }
            filled *= 2
        }
    }

    /// E of one stretch, ≥ 0; a tone of amplitude 1 in tune has 1.
    /// - Parameter x: shape [length].
    public borrowing func energy(_ x: Span<ComplexSample>) -> Float {
        precondition(x.count == length, "\(x.count) samples for a correlator of \(length)")
        // Four independent sums, so that no addition waits for the one before it.
        var sums = (ComplexSample(), ComplexSample(), ComplexSample(), ComplexSample())
        let reference = reference.span
        var n = 0
        while n < x.count {
            sums.0 += x[n].times(reference[n])
            sums.1 += x[n + 1].times(reference[n + 1])
            sums.2 += x[n + 2].times(reference[n + 2])
            sums.3 += x[n + 3].times(reference[n + 3])
            n += 4
        }
        let scale = 1 / Float(x.count)
        return ((sums.0 + sums.1) + (sums.2 + sums.3)).power * scale * scale
    }

    /// Mixes a stretch with the reference: y[n] = x[n]·ref[n].
    /// - Parameters:
    ///   - x: shape [length].
    ///   - y: receives the products; shape [length].
    public borrowing func mix(_ x: Span<ComplexSample>, into y: inout MutableSpan<ComplexSample>) {
        precondition(x.count == length && y.count == length, "\(x.count) and \(y.count) samples, not \(length)")
        let reference = reference
        x.withUnsafeBufferPointer { x in
            y.withUnsafeMutableBufferPointer { y in
                reference.withUnsafeBufferPointer { reference in
                    earshot_complex_products(
                        x.baseAddress!.pairs, reference.baseAddress!.pairs, x.count, y.baseAddress!.pairs)
                }
            }
        }
    }

    /// Multiplies the reference by a window; the next `tune` removes it.
    /// - Parameter window: shape [length].
    public mutating func weigh(by window: Span<Float>) {
        precondition(window.count == length, "a window of \(window.count) for a correlator of \(length)")
        var reference = reference.mutableSpan
        for n in reference.indices {
            reference[n] *= window[n]
        }
    }
}
