/// Motion that is at another point of its course in each trial.
public enum AirMotion: Sendable {
    /// Somebody who walks past, nearest at any time from half a second before the sound to half a second behind it.
    case walkingPast(metresPerSecond: Double, nearestMetres: Double)
    /// Something that swings to and fro, anywhere in its swing when the sound begins.
    case swaying(swingMetres: Double, periodSeconds: Double)

    /// The path for a sound of so many seconds.
    func path(seconds: Double, _ generator: inout SeededGenerator) -> MotionPath {
        let place = Double(generator.uniform())
        switch self {
        case .walkingPast(let speed, let nearest):
            return .walkingBy(
                metresPerSecond: speed, nearestMetres: nearest, nearestAtSeconds: place * (seconds + 1) - 0.5)
        case .swaying(let swing, let period):
            // How far away does not matter: the delay at the beginning is taken out.
            return .pacing(meanMetres: 2 * swing, swingMetres: swing, periodSeconds: period, phaseTurns: place)
        }
    }
}
