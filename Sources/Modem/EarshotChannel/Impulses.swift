import EarshotBasics
import RealModule

/// The kind of an impulsive noise.
public enum ImpulseKind: String, CaseIterable, Sendable {
    /// A keyboard on the same table: a key strikes its stop and rings for 3 to 8 ms. Its release follows 60 to 120 ms
    /// later, 10 dB quieter. A quick typist strikes four keys a second.
    case keys
    /// A switch, a relay, static on a bad contact or a scratched record: one sample to 0.3 ms.
    case clicks

    /// The time in which an impulse decays by 60 dB.
    var decaySeconds: ClosedRange<Double> {
        switch self {
        case .keys: 0.003...0.008
        case .clicks: 0...0.000_3
        }
    }

    /// The time from the first impulse to the second; nil if there is no second.
    var releaseSeconds: ClosedRange<Double>? {
        switch self {
        case .keys: 0.06...0.12
        case .clicks: nil
        }
    }
}

/// An endless sequence of short impulses in silence, at independent random times.
///
///     y[n] = Σ Aₖ·w[n − nₖ]·10^(−3·(n − nₖ)/Dₖ),   w[0] = ±1, w uniform in ±1
///
/// The intervals between starts nₖ are exponentially distributed: a Poisson process. Peaks Aₖ are uniform in decibels
/// within 6 dB of `amplitude`, decays Dₖ are uniform in their range. The spectrum is as broad as possible: the band
/// gets its share of 1,500 Hz in half the sample rate.
///
/// Cost: almost nothing for silence, about 3 ns a sample of each impulse.
public struct Impulses: SoundSource {
    private static let spreadDecibels = 6.0
    private static let releaseGain = 0.316_227_8

    private let kind: ImpulseKind
    private let meanGapSamples: Double
    private let amplitude: Double
    private let sampleRateHertz: Double
    private var generator: SeededGenerator
    private var nextArrival = 0.0
    private var position = 0
    /// The impulses in progress, ordered by their stroke.
    private var bursts: [Burst] = []

    /// - Parameters:
    ///   - kind: the kind of the impulses.
    ///   - perSecond: the mean number of strokes a second, above 0 and at most 1,000.
    ///   - amplitude: the median peak; full scale is 1.
    ///   - sampleRateHertz: the sample rate.
    ///   - seed: the seed of the random numbers.
    public init(_ kind: ImpulseKind, perSecond: Double, amplitude: Float, sampleRateHertz: Int, seed: UInt64) {
        precondition(perSecond > 0 && perSecond <= 1_000, "\(perSecond) impulses a second")
        self.kind = kind
        self.amplitude = Double(amplitude)
        self.sampleRateHertz = Double(sampleRateHertz)
        meanGapSamples = Double(sampleRateHertz) / perSecond
        generator = SeededGenerator(seed: seed)
        nextArrival = gap()
    }

    /// Fills `block` with the next samples and returns their number: the sound never ends.
    public mutating func read(into block: inout MutableSpan<Float>) -> Int {
        for index in 0..<block.count {
            block[index] = 0
        }
        let end = position + block.count
        while nextArrival < Double(end) {
            strike(at: Int(nextArrival))
            nextArrival += gap()
        }
        for number in bursts.indices {
            bursts[number].add(to: &block, from: position)
        }
        bursts.removeAll { $0.length == 0 }
        position = end
        return block.count
    }

    private mutating func gap() -> Double {
        // At most 37 mean intervals, so that it stays a finite number of samples.
        -.log(1 - Double(generator.next() >> 11) * 0x1p-53) * meanGapSamples
    }

    private mutating func strike(at start: Int) {
        let decibels = Self.spreadDecibels * (2 * Double(generator.uniform()) - 1)
        let peak = amplitude * .pow(10, decibels / 20)
        append(start: start, peak: peak)
        if let range = kind.releaseSeconds {
            append(start: start + Int(draw(range) * sampleRateHertz), peak: peak * Self.releaseGain)
        }
    }

    private mutating func append(start: Int, peak: Double) {
        let length = max(1, draw(kind.decaySeconds) * sampleRateHertz)
        bursts.append(
            Burst(
                start: start, length: Int(length), level: Float(peak), decay: Float(Double.pow(10, -3 / length)),
                generator: SeededGenerator(seed: generator.next())))
    }

    private mutating func draw(_ range: ClosedRange<Double>) -> Double {
        range.lowerBound + (range.upperBound - range.lowerBound) * Double(generator.uniform())
    }
}

/// The remainder of one impulse.
private struct Burst: Sendable {
    var start: Int
    var length: Int
    var level: Float
    let decay: Float
    var generator: SeededGenerator
    var isFirst = true

    /// Adds the part in a block that starts at sample `position`.
    mutating func add(to block: inout MutableSpan<Float>, from position: Int) {
        while length > 0, start < position + block.count {
            var sample = 2 * generator.uniform() - 1
            if isFirst { sample = sample < 0 ? -1 : 1 }
            block[start - position] += level * sample
            isFirst = false
            level *= decay
            start += 1
            length -= 1
        }
    }
}
