import EarshotDSP
import RealModule

/// The sound played faster or slower: what steady motion or a wrong clock does.
///
///     y[n] = x(n·(1 + ε)),   frequencies times 1 + ε, durations divided by it
///
/// ε > 0 is a source that comes closer. Interpolates by a Kaiser-windowed sinc of 64 taps: flat to 0.01 dB up to 0.45 of
/// the sample rate.
public struct TimeScale: Sendable {
    /// ε.
    public let relativeOffset: Double
    /// Where the first output sample lies between the first two input samples, 0 ..< 1.
    public let fractionalDelay: Double

    /// See the properties of the same names.
    public init(relativeOffset: Double, fractionalDelay: Double = 0) {
        precondition((0..<1).contains(fractionalDelay), "a fractional delay of \(fractionalDelay) samples")
        precondition(relativeOffset > -1, "a speed of \(1 + relativeOffset)")
        self.relativeOffset = relativeOffset
        self.fractionalDelay = fractionalDelay
    }

    /// y, as long as x lasts at the new speed.
    public func apply(to samples: [Float]) -> [Float] {
        let halfWidth = 32
        let phaseCount = 512
        let window = KaiserWindow(attenuationDecibels: 80)
        // taps[phase][k] belongs to x[i − 31 + k] for a position of i + phase/512.
        let taps: [[Float]] = (0...phaseCount).map { phase in
            (0..<2 * halfWidth).map { k in
                let u = Double(k - halfWidth + 1) - Double(phase) / Double(phaseCount)
                let sinc = u == 0 ? 1 : Double.sin(.pi * u) / (.pi * u)
                return Float(sinc * window(u / Double(halfWidth)))
            }
        }
        let count = Int(Double(samples.count) / (1 + relativeOffset))
        return (0..<count).map { n in
            let position = Double(n) * (1 + relativeOffset) + fractionalDelay
            let whole = Int(position)
            let exactPhase = (position - Double(whole)) * Double(phaseCount)
            let phase = Int(exactPhase)
            let share = Float(exactPhase - Double(phase))
            var sum: Float = 0
            let first = whole - halfWidth + 1
            for k in max(0, -first)..<max(max(0, -first), min(2 * halfWidth, samples.count - first)) {
                sum += samples[first + k] * (taps[phase][k] + share * (taps[phase + 1][k] - taps[phase][k]))
            }
            return sum
        }
    }
}
