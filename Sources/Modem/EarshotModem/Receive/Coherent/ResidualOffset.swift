import EarshotDSP

/// The residual offset of a frame, measured with tentative tones, some of which may be wrong: J of `CoherentMetrics`,
/// and its peaks.
///
///     J(f) = Σ_d max(0, |Σₖ wₖ·C[k][d]·e^{−j2πf·kT}|² − θ·noise)
///
/// on a grid of at least twice the frame's resolution. Cost: an FFT a delay. No allocation after `init`.
struct ResidualOffset: ~Copyable {
    /// The maximum offset, in tone spacings.
    private static let maximumOffsetSpacings = 0.2
    /// The maximum difference of the clocks of still devices: 100 ppm each, at 19,250 Hz.
    private static let clockHertz: Float = 4
    /// Frames of up to half this many symbols, tokens among them, use the short transform.
    private static let shortLength = 128
    private static let longLength = 512

    private let format: BasebandFormat
    private let delayCount: Int
    private var shortTransform = FFTPlan(length: shortLength, hasInverse: false)
    private var longTransform = FFTPlan(length: longLength, hasInverse: false)
    /// J in bins of 1/(binCount·T); those after `binCount` are of another frame.
    private var sums = [Float](repeating: 0, count: longLength)
    private var binCount = shortLength

    init(format: BasebandFormat, delayCount: Int) {
        self.format = format
        self.delayCount = delayCount
    }

    /// Begins a measurement of J.
    mutating func begin(symbolCount: Int) {
        binCount =
            2 * symbolCount <= ResidualOffset.shortLength ? ResidualOffset.shortLength : ResidualOffset.longLength
        for bin in 0..<binCount {
            sums[bin] = 0
        }
    }

    /// Adds a channel's J.
    /// - Parameters:
    ///   - correlations: C from element `first` on; shape [symbolCount or more][delayCount].
    ///   - first: the first element.
    ///   - symbolCount: that of `begin`.
    ///   - weights: w, 0 ... 1; shape [symbolCount or more].
    ///   - noise: the noise's power in a tone's width.
    ///   - scale: the factor of this channel's J.
    mutating func add(
        _ correlations: [ComplexSample], from first: Int, symbolCount: Int, weights: [Float], noise: Float,
        scale: Float
    ) {
        var squares: Float = 0
        for symbol in 0..<symbolCount {
            squares += weights[symbol] * weights[symbol]
        }
        let length = Float(format.samplesPerSymbol)
        // C's noise has N times a sample's, which is N times a tone's.
        let limit = CoherentMetrics.minimumTapRatio * squares * length * length * noise
        for delay in 0..<delayCount {
            if binCount == ResidualOffset.shortLength {
                addSpectrum(
                    &shortTransform, correlations, first: first + delay, delayCount: delayCount,
                    symbolCount: symbolCount,
                    weights: weights, limit: limit, scale: scale, to: &sums)
            } else {
                addSpectrum(
                    &longTransform, correlations, first: first + delay, delayCount: delayCount,
                    symbolCount: symbolCount,
                    weights: weights, limit: limit, scale: scale, to: &sums)
            }
        }
    }

    /// The offset of a peak of J, in hertz; nil if there is none.
    /// - Parameters:
    ///   - rank: 0 for the highest peak, 1 for the next one.
    ///   - stillHertz: the offset of still devices. If it is given, the result is the highest peak within the
    ///     difference of their clocks, whatever the rank.
    func peakHertz(rank: Int, stillHertz: Float?) -> Float? {
        let hertzPerBin = Float(format.profile.toneSpacingHertz) / Float(binCount)
        var (middle, reach) = (0, Int(ResidualOffset.maximumOffsetSpacings * Double(binCount)))
        if let stillHertz {
            middle = Int((stillHertz / hertzPerBin).rounded())
            reach = Int((ResidualOffset.clockHertz / hertzPerBin).rounded(.up))
            guard abs(middle) < binCount / 2 else { return nil }
        }
        var limit = Float.infinity
        var found: Int?
        for _ in 0...(stillHertz == nil ? rank : 0) {
            found = nil
            var highest: Float = 0
            for bin in middle - reach...middle + reach {
                let here = value(bin)
                guard here > highest, here < limit, here >= value(bin - 1), here > value(bin + 1) else { continue }
                (found, highest) = (bin, here)
            }
            guard found != nil else { return nil }
            limit = highest
        }
        guard let found else { return nil }
        let fraction = parabolicPeak(value(found - 1), value(found), value(found + 1))
        return (Float(found) + fraction) * hertzPerBin
    }

    /// J of a bin; bins wrap around.
    private func value(_ bin: Int) -> Float { sums[(bin + 2 * binCount) % binCount] }
}

/// Adds one delay's share of J.
private func addSpectrum(
    _ plan: inout FFTPlan, _ correlations: [ComplexSample], first: Int, delayCount: Int, symbolCount: Int,
    weights: [Float], limit: Float, scale: Float, to sums: inout [Float]
) {
    let column = correlations.span
    plan.withMutableSamples { input in
        for symbol in 0..<symbolCount {
            input[symbol] = column[first + symbol * delayCount] * weights[symbol]
        }
        for symbol in symbolCount..<input.count {
            input[symbol] = ComplexSample()
        }
    }
    plan.forward()
    var total = sums.mutableSpan
    plan.withSpectrum { spectrum in
        for bin in spectrum.indices {
            total[bin] += scale * max(0, spectrum[bin].power - limit)
        }
    }
}
