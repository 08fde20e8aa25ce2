import EarshotBasics
import RealModule

/// A tone that sweeps through the band repeatedly, like an animal repeller.
public struct AirSweep: Sendable {
    /// The level in decibels relative to the signal.
    public var levelDecibels: Double
    /// The lowest and the highest frequency in hertz, 0 or more. At a lower sample rate the range ends at half of that rate.
    public var hertz: ClosedRange<Double>
    /// The minimum and maximum time from the lowest to the highest frequency in seconds, above 0. Half of the sweeps
    /// then return in the same time; the others jump to the lowest frequency.
    public var periodSeconds: ClosedRange<Double>

    /// Creates a sweep from its properties; by default it is that of repellers.
    public init(
        levelDecibels: Double, hertz: ClosedRange<Double> = 17_000...23_500,
        periodSeconds: ClosedRange<Double> = 0.2...3
    ) {
        self.levelDecibels = levelDecibels
        self.hertz = hertz
        self.periodSeconds = periodSeconds
    }

    /// A sweep with a random period and place.
    func tone(amplitude: Float, sampleRateHertz: Int, _ generator: inout SeededGenerator) -> SweptTone {
        let (shortest, longest) = (periodSeconds.lowerBound, periodSeconds.upperBound)
        // Evenly over the logarithm.
        let seconds = shortest * .pow(longest / shortest, Double(generator.uniform()))
        let returns = generator.uniform() < 0.5
        return SweptTone(
            hertz: hertz.clamped(to: 0...Double(sampleRateHertz) / 2), periodSeconds: returns ? 2 * seconds : seconds,
            returns: returns,
            amplitude: amplitude * Float(Double.pow(10, levelDecibels / 20)), place: Double(generator.uniform()),
            sampleRateHertz: sampleRateHertz)
    }
}
