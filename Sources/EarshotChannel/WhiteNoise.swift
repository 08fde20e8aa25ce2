import RealModule

/// Independent normally distributed samples, by the polar form of Box and Muller.
///
///     (g₁, g₂) = √(−2 ln u)·(cos 2πv, sin 2πv),   u, v uniform in (0, 1]
///
/// Cost: about 15 ns a sample.
public struct WhiteNoise: Sendable {
    private var generator: SeededGenerator
    private var spare: Float?

    /// The noise that belongs to `seed`.
    public init(seed: UInt64) {
        generator = SeededGenerator(seed: seed)
    }

    /// The next sample: mean 0, standard deviation 1.
    public mutating func next() -> Float {
        if let spare {
            self.spare = nil
            return spare
        }
        let u = 1 - generator.uniform()
        let v = generator.uniform()
        let radius = (-2 * Float.log(u)).squareRoot()
        spare = radius * .sin(2 * .pi * v)
        return radius * .cos(2 * .pi * v)
    }

    /// Adds noise of the given standard deviation to every sample.
    public mutating func add(to samples: inout [Float], deviation: Float) {
        for index in samples.indices {
            samples[index] += deviation * next()
        }
    }

    /// The standard deviation of white noise at a sample rate so that a sine of `amplitude` has `snrDecibels` over the
    /// noise in 1,500 Hz:
    ///
    ///     σ² = (A²/2) / 10^(SNR/10) · (F/2) / 1500
    public static func deviation(amplitude: Float, snrDecibels: Double, sampleRateHertz: Int) -> Float {
        let signalPower = Double(amplitude * amplitude) / 2
        let power = signalPower / .pow(10, snrDecibels / 10) * Double(sampleRateHertz) / 2 / 1_500
        return Float(power.squareRoot())
    }
}
