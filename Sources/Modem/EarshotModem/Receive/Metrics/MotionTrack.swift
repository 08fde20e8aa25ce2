import EarshotCoding
import EarshotDSP
import RealModule

/// Tracks where each symbol of a frame lies in time and frequency while its transmitter or receiver changes its speed.
///
///     e[k]   = the offset, among −¾ … ¾ of a spacing around the predicted one, at which one tone is loudest
///     f[k+1] = f[k] + r[k] + α·e[k],   r[k+1] = r[k] + β·e[k],   s[k+1] = s[k] + N / (1 + f[k]/centre)
///
/// This α-β filter begins with the line through the offsets of the sync symbols, whose tones are known. A symbol in which no
/// tone stands out moves nothing. The track is for loud frames: below some 8 dB a single symbol says too little. Of several
/// channels it follows the best.
///
/// A person who walks past at 1.4 m/s and 1 m changes the offset by up to 110 Hz a second: two tone spacings of a `standard`
/// frame, ten of a `far` one.
///
/// Cost: three FFTs of N points a symbol. No allocation after `init`.
struct MotionTrack: ~Copyable {
    /// α and β = α²/(2 − α): critically damped, settled within five symbols.
    private static let offsetGain: Float = 0.4
    private static let rateGain: Float = 0.1
    /// A tone stands out if it has this share of its symbol's energy.
    private static let minimumShare: Float = 0.4
    /// A track that stays within this many spacings of a constant offset counts as constant.
    private static let noticeableSpacings: Float = 0.12

    private let format: BasebandFormat
    private var mixer: ToneCorrelator
    private var transform: FFTPlan
    private var energies: [Float]
    private var syncOffsets = InlineArray<8, Float>(repeating: 0)
    /// s, in baseband samples; shape [longest frame and its echo].
    private(set) var starts: [Double]
    /// f in hertz; like `starts`.
    private(set) var offsetsHertz: [Float]

    init(format: BasebandFormat) {
        self.format = format
        mixer = ToneCorrelator(length: format.samplesPerSymbol)
        transform = FFTPlan(length: format.samplesPerSymbol, hasInverse: false)
        energies = [Float](repeating: 0, count: 3 * format.profile.toneCount)
        let count = FrameLayout.longest.toneCount + ToneMetrics.echoSymbolCount
        starts = [Double](repeating: 0, count: count)
        offsetsHertz = [Float](repeating: 0, count: count)
    }

    /// Tracks a frame from its sync pattern on.
    /// - Returns: whether it moves, so that a constant offset does not fit.
    mutating func follow(_ view: FrameView, _ histories: ChannelHistories) -> Bool {
        let (symbolCount, history) = (view.layout.toneCount, histories[view.place.shares.best])
        var (offsetHertz, rateHertz) = syncLine(view.place, history)
        var start = view.place.start
        var (lowest, highest) = (offsetHertz, offsetHertz)
        for symbol in 0..<symbolCount + ToneMetrics.echoSymbolCount {
            (starts[symbol], offsetsHertz[symbol]) = (start, offsetHertz)
            if symbol < symbolCount {
                (lowest, highest) = (min(lowest, offsetHertz), max(highest, offsetHertz))
                let error = symbol < FrameLayout.syncToneCount ? 0 : error(start: start, offsetHertz, history)
                offsetHertz += rateHertz + MotionTrack.offsetGain * error
                rateHertz += MotionTrack.rateGain * error
                let limit = Float(format.profile.maximumOffset) * Float(format.profile.centreHertz)
                offsetHertz = min(max(offsetHertz, -limit), limit)
            }
            start += format.symbolLength(offsetHertz: offsetsHertz[symbol])
        }
        return highest - lowest > 2 * MotionTrack.noticeableSpacings * Float(format.profile.toneSpacingHertz)
    }

    /// The line through the sync symbols' offsets: the offset of the first symbol, and the change from each symbol to the
    /// next.
    private mutating func syncLine(
        _ place: Candidate, _ history: BasebandHistory
    ) -> (offsetHertz: Float, rateHertz: Float) {
        let spacing = Float(format.profile.toneSpacingHertz)
        let symbolLength = format.symbolLength(offsetHertz: place.offsetHertz)
        for (symbol, tone) in format.profile.syncTones.enumerated() {
            let first = Int((place.start + Double(symbol) * symbolLength).rounded())
            var (best, bestEnergy) = (Float(0), Float(0))
            guard history.holds(from: first, count: format.samplesPerSymbol) else { continue }
            for step in -8...8 {
                let offsetHertz = place.offsetHertz + Float(step) * spacing / 8
                mixer.tune(
                    cyclesPerSample: format.cyclesPerSample(tone: tone)
                        + format.cyclesPerSample(offsetHertz: offsetHertz))
                let energy = history.withSamples(from: first, count: mixer.length) { mixer.energy($0) }
                if energy > bestEnergy {
                    (best, bestEnergy) = (offsetHertz, energy)
                }
            }
            syncOffsets[symbol] = best
        }
        // The median of the slopes between symbols half a pattern apart: one or two symbols may be wrong.
        var slopes = InlineArray<4, Float>(repeating: 0)
        for symbol in 0..<4 {
            slopes[symbol] = (syncOffsets[symbol + 4] - syncOffsets[symbol]) / 4
        }
        let rate = medianOf(slopes)
        var middles = InlineArray<4, Float>(repeating: 0)
        for symbol in 0..<4 {
            middles[symbol] = (syncOffsets[2 + symbol] - rate * (2 + Float(symbol)))
        }
        return (medianOf(middles), rate)
    }

    /// The mean of the middle two of four.
    private func medianOf(_ values: InlineArray<4, Float>) -> Float {
        var (sum, low, high) = (Float(0), Float.infinity, -Float.infinity)
        for index in values.indices {
            sum += values[index]
            low = min(low, values[index])
            high = max(high, values[index])
        }
        return (sum - low - high) / 2
    }

    /// e of a symbol, in hertz.
    private mutating func error(
        start: Double, _ offsetHertz: Float, _ history: BasebandHistory
    ) -> Float {
        let (length, toneCount) = (format.samplesPerSymbol, format.profile.toneCount)
        let first = Int(start.rounded())
        guard history.holds(from: first, count: length) else { return 0 }
        let spacing = Float(format.profile.toneSpacingHertz)
        for step in 0..<3 {
            mixer.tune(
                cyclesPerSample: format.cyclesPerSample(offsetHertz: offsetHertz + Float(step - 1) * spacing / 4)
                    + 0.5 / Float(length))
            history.withSamples(from: first, count: length) { samples in
                transform.withMutableSamples { mixer.mix(samples, into: &$0) }
            }
            transform.forward()
            // Half a spacing was mixed away, so that tone m is in bin m − M/2.
            transform.copyPowers(
                ofBins: -toneCount / 2..<toneCount / 2, into: &energies, at: step * toneCount)
        }
        var (best, sum) = (0, Float(0))
        for tone in 0..<toneCount {
            sum += energies[toneCount + tone]
            if total(tone) > total(best) {
                best = tone
            }
        }
        let middle = energies[toneCount + best]
        guard middle >= MotionTrack.minimumShare * sum else { return 0 }
        let step = parabolicPeak(
            energies[best].squareRoot(), middle.squareRoot(), energies[2 * toneCount + best].squareRoot())
        return min(max(step, -2), 2) * spacing / 4
    }

    private func total(_ tone: Int) -> Float {
        let toneCount = format.profile.toneCount
        return energies[tone] + energies[toneCount + tone] + energies[2 * toneCount + tone]
    }
}
