import RealModule

/// An endless tone that sweeps over a range of frequencies repeatedly, like an animal repeller.
///
///     y[n] = A·sin(2π·Σ f[n]/F),   f[n] = f₀ + (f₁ − f₀)·u(n/(P·F) + φ)
///
/// u rises from 0 to 1 in each period P; with `returns` it rises in the first half and falls in the second. Cost: a sine a sample.
public struct SweptTone: SoundSource {
    private let hertz: ClosedRange<Double>
    private let returns: Bool
    private let amplitude: Double
    private let sampleRateHertz: Double
    /// 1/(P·F).
    private let periodsPerSample: Double
    /// The place in the period, 0 ..< 1.
    private var place: Double
    /// The phase, in turns, 0 ..< 1.
    private var turns: Double = 0

    /// - Parameters:
    ///   - hertz: f₀ ... f₁, within 0 to half the sample rate.
    ///   - periodSeconds: P, above 0.
    ///   - returns: whether the tone sweeps back to f₀; otherwise it jumps there.
    ///   - amplitude: A; full scale is 1.
    ///   - place: φ, the place in the period at the beginning, 0 ..< 1.
    ///   - sampleRateHertz: F.
    public init(
        hertz: ClosedRange<Double>, periodSeconds: Double, returns: Bool, amplitude: Float, place: Double = 0,
        sampleRateHertz: Int
    ) {
        precondition(
            hertz.lowerBound >= 0 && 2 * hertz.upperBound <= Double(sampleRateHertz) && periodSeconds > 0,
            "\(hertz) Hz in \(periodSeconds) s at \(sampleRateHertz) Hz")
        self.hertz = hertz
        self.returns = returns
        self.amplitude = Double(amplitude)
        self.sampleRateHertz = Double(sampleRateHertz)
        periodsPerSample = 1 / (periodSeconds * Double(sampleRateHertz))
        self.place = place - place.rounded(.down)
    }

    /// Fills `block` with the next samples and returns their number: the sound never ends.
    public mutating func read(into block: inout MutableSpan<Float>) -> Int {
        for index in block.indices {
            block[index] = Float(amplitude * .sin(2 * .pi * turns))
            let height = returns ? 1 - abs(2 * place - 1) : place
            turns += (hertz.lowerBound + (hertz.upperBound - hertz.lowerBound) * height) / sampleRateHertz
            turns -= turns.rounded(.down)
            place += periodsPerSample
            if place >= 1 { place -= 1 }
        }
        return block.count
    }
}
