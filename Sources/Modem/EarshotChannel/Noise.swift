/// The colour of noise: how its power falls with frequency.
public enum NoiseColour: String, CaseIterable, Sendable {
    /// The same power in every hertz.
    case white
    /// The same power in every octave, −3 dB an octave: music, the murmur of a crowd.
    case pink
    /// −6 dB an octave: traffic, wind, the rumble of a room.
    case brown
}

/// Endless coloured noise.
///
///     S(f) ∝ f⁰, f⁻¹ or f⁻²,   20 Hz … half the sample rate, level below
///
/// Pink follows its line within 0.3 dB from 40 Hz on, and brown from 80 Hz; see `ColourFilter`. The level is exact in
/// the band, so `WhiteNoise.deviation` gives the signal-to-noise ratio in the band for any colour.
///
/// White noise is `deviation` times the `WhiteNoise` of the same seed. Cost: about 3 ns a sample,
/// coloured 6.5 ns.
public struct Noise: SoundSource {
    /// The standard deviation over all frequencies; noise that falls with frequency has most of its power far below the
    /// band.
    public let totalDeviation: Float

    private let gain: Float
    private var white: WhiteNoise
    private var filter: ColourFilter?

    /// - Parameters:
    ///   - colour: the colour of the noise.
    ///   - deviation: the standard deviation of the white noise with the same power in the band. At a sample rate that
    ///     does not carry the whole band: with the same total power.
    ///   - sampleRateHertz: the sample rate.
    ///   - bandHertz: the band in which the powers are equal.
    ///   - seed: the seed of the random numbers.
    public init(
        colour: NoiseColour = .white, deviation: Float, bandHertz: ClosedRange<Double> = 18_500...20_000,
        sampleRateHertz: Int, seed: UInt64
    ) {
        white = WhiteNoise(seed: seed)
        guard var filter = ColourFilter(colour, sampleRateHertz: sampleRateHertz) else {
            gain = deviation
            totalDeviation = deviation
            return
        }
        let rate = Double(sampleRateHertz)
        let power =
            bandHertz.upperBound > rate / 2
            ? filter.power
            : filter.power(inCyclesPerSample: bandHertz.lowerBound / rate...bandHertz.upperBound / rate)
        gain = Float(Double(deviation) / power.squareRoot())
        totalDeviation = Float(Double(deviation) * (filter.power / power).squareRoot())
        // Lets the filter settle, so that the noise is stationary from its first sample on.
        for _ in 0..<filter.settlingCount {
            _ = filter.process(white.next())
        }
        self.filter = filter
    }

    /// Fills `block` with the next samples and returns their number: the sound never ends.
    public mutating func read(into block: inout MutableSpan<Float>) -> Int {
        let count = white.read(into: &block)
        guard var filter else {
            for index in 0..<count {
                block[index] *= gain
            }
            return count
        }
        for index in 0..<count {
            block[index] = gain * filter.process(block[index])
        }
        self.filter = filter
        return count
    }
}
