import EarshotBasics

/// A motion that starts at a random point of its course in each trial.
public enum AirMotion: Sendable {
    /// A talker that walks past. It is nearest at a random time from 0.5 s before the sound to 0.5 s after it.
    case walkingPast(metresPerSecond: Double, nearestMetres: Double)
    /// A talker that swings back and forth, with a random phase at the start of the sound.
    case swaying(swingMetres: Double, periodSeconds: Double)
    /// A talker in a hand that moves at random: its speed is the sum of eight sines, one in each eighth of the band below
    /// `highestHertz`.
    case held(rootMeanSquareMetresPerSecond: Double, highestHertz: Double)

    /// The path for a sound of this length in seconds.
    func path(seconds: Double, _ generator: inout SeededGenerator) -> MotionPath {
        let place = Double(generator.uniform())
        switch self {
        case .walkingPast(let speed, let nearest):
            return .walkingBy(
                metresPerSecond: speed, nearestMetres: nearest, nearestAtSeconds: place * (seconds + 1) - 0.5)
        case .swaying(let swing, let period):
            // The mean distance does not matter, because the delay at the start is removed.
            return .pacing(meanMetres: 2 * swing, swingMetres: swing, periodSeconds: period, phaseTurns: place)
        case .held(let speed, let highest):
            let count = 8
            let swings = (0..<count).map { band in
                let hertz = highest * (Double(band) + Double(generator.uniform())) / Double(count)
                let radiansPerSecond = 2 * Double.pi * max(hertz, highest / Double(2 * count))
                return MotionPath.Swing(
                    metres: speed * (2 / Double(count)).squareRoot() / radiansPerSecond,
                    radiansPerSecond: radiansPerSecond, phase: 2 * Double.pi * Double(generator.uniform()))
            }
            return .swinging(meanMetres: swings.reduce(0) { $0 + $1.metres }, swings)
        }
    }
}
