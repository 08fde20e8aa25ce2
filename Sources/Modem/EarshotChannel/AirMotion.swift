import EarshotBasics

/// A motion that starts at a random point of its course in each trial.
public enum AirMotion: Sendable {
    /// A talker that walks past. It is nearest at a random time from 0.5 s before the sound to 0.5 s after it.
    case walkingPast(metresPerSecond: Double, nearestMetres: Double)
    /// A talker that swings to and fro, with a random phase at the start of the sound.
    case swaying(swingMetres: Double, periodSeconds: Double)

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
        }
    }
}
