import RealModule

/// The distance of a microphone from a loudspeaker over time.
///
///     d(t) in metres, v(t) = d'(t) in m/s, positive while they move apart; t ≥ 0 in seconds
///
/// The microphone moves: sound that it receives at t was sent exactly d(t)/c before. |v| is at most half the speed of
/// sound.
public struct MotionPath: Sendable {
    /// A part of a path at one speed.
    public struct Leg: Sendable {
        /// The duration in seconds.
        public let seconds: Double
        /// v, in metres a second; negative while approaching.
        public let metresPerSecond: Double

        /// Creates a leg from its properties.
        public init(seconds: Double, metresPerSecond: Double) {
            self.seconds = seconds
            self.metresPerSecond = metresPerSecond
        }
    }

    // From `seconds` on: d = metres + speed·u + acceleration·u²/2.
    private struct Piece: Sendable {
        var seconds: Double
        var metres: Double
        var speed: Double
        var acceleration: Double
    }

    private enum Course: Sendable {
        case pieces([Piece])
        case passing(speed: Double, nearest: Double, at: Double)
        case swings(mean: Double, [Swing])
    }

    /// A sine's part of the distance: metres·sin(ω·t + phase).
    struct Swing: Sendable {
        var metres: Double
        /// ω.
        var radiansPerSecond: Double
        var phase: Double
    }

    private let course: Course

    private init(_ course: Course) {
        self.course = course
    }

    /// Creates a path of successive legs, at rest after the last. Between legs the speed changes at a constant rate,
    /// during `turningSeconds` around the end of the leg.
    /// - Parameters:
    ///   - startMetres: d(0), in metres.
    ///   - legs: each at least as long as a turn.
    ///   - turningSeconds: the duration of a turn, ≥ 0; 0 makes the speed jump.
    public init(startMetres: Double, legs: [Leg], turningSeconds: Double) {
        precondition(turningSeconds >= 0, "turning for \(turningSeconds) s")
        var pieces = [Piece(seconds: 0, metres: startMetres, speed: legs.first?.metresPerSecond ?? 0, acceleration: 0)]
        var boundary = 0.0
        func go(to seconds: Double, thenAccelerate acceleration: Double, from speed: Double) {
            let last = pieces[pieces.count - 1]
            let metres = MotionPath.distance(last, seconds)
            precondition(metres >= 0, "\(-metres) m beyond the loudspeaker")
            pieces.append(Piece(seconds: seconds, metres: metres, speed: speed, acceleration: acceleration))
        }
        for (index, leg) in legs.enumerated() {
            precondition(leg.seconds >= turningSeconds, "a leg of \(leg.seconds) s, turning for \(turningSeconds) s")
            MotionPath.check(speed: leg.metresPerSecond)
            let next = index + 1 < legs.count ? legs[index + 1].metresPerSecond : 0
            boundary += leg.seconds
            if turningSeconds > 0 {
                go(
                    to: boundary - turningSeconds / 2,
                    thenAccelerate: (next - leg.metresPerSecond) / turningSeconds, from: leg.metresPerSecond)
            }
            go(to: boundary + turningSeconds / 2, thenAccelerate: 0, from: next)
        }
        self.init(.pieces(pieces))
    }

    /// A straight path past a point: d(t) = √(nearest² + (v·(t − t₀))²), approaching until t₀ and receding after it.
    public static func walkingBy(
        metresPerSecond: Double, nearestMetres: Double, nearestAtSeconds: Double
    ) -> MotionPath {
        check(speed: metresPerSecond)
        precondition(nearestMetres > 0, "passing at \(nearestMetres) m")
        return MotionPath(.passing(speed: metresPerSecond, nearest: nearestMetres, at: nearestAtSeconds))
    }

    /// A back-and-forth motion, such as pacing or gestures: d(t) = mean + swing·sin(2π·(t/period + phase)).
    public static func pacing(
        meanMetres: Double, swingMetres: Double, periodSeconds: Double, phaseTurns: Double = 0
    ) -> MotionPath {
        precondition(periodSeconds > 0 && abs(swingMetres) <= meanMetres)
        return swinging(
            meanMetres: meanMetres,
            [Swing(metres: swingMetres, radiansPerSecond: 2 * .pi / periodSeconds, phase: 2 * .pi * phaseTurns)])
    }

    /// The sum of several swings.
    static func swinging(meanMetres: Double, _ swings: [Swing]) -> MotionPath {
        check(speed: swings.reduce(0) { $0 + abs($1.metres * $1.radiansPerSecond) })
        return MotionPath(.swings(mean: meanMetres, swings))
    }

    /// The distance d(t) in metres.
    public func distanceMetres(atSeconds t: Double) -> Double {
        switch course {
        case .pieces(let pieces):
            MotionPath.distance(MotionPath.piece(pieces, t), t)
        case .passing(let speed, let nearest, let at):
            (nearest * nearest + speed * speed * (t - at) * (t - at)).squareRoot()
        case .swings(let mean, let swings):
            swings.reduce(mean) { $0 + $1.metres * .sin($1.radiansPerSecond * t + $1.phase) }
        }
    }

    /// The speed v(t) in metres a second, positive while they move apart.
    public func metresPerSecond(atSeconds t: Double) -> Double {
        switch course {
        case .pieces(let pieces):
            let piece = MotionPath.piece(pieces, t)
            return piece.speed + piece.acceleration * (t - piece.seconds)
        case .passing(let speed, _, let at):
            return speed * speed * (t - at) / distanceMetres(atSeconds: t)
        case .swings(_, let swings):
            return swings.reduce(0) { $0 + $1.metres * $1.radiansPerSecond * .cos($1.radiansPerSecond * t + $1.phase) }
        }
    }

    private static func distance(_ piece: Piece, _ t: Double) -> Double {
        let u = t - piece.seconds
        return piece.metres + (piece.speed + piece.acceleration * u / 2) * u
    }

    private static func piece(_ pieces: [Piece], _ t: Double) -> Piece {
        pieces.last { $0.seconds <= t } ?? pieces[0]
    }

    private static func check(speed: Double) {
        precondition(abs(speed) <= SoundInAir.metresPerSecond / 2, "moving at \(speed) m/s")
    }
}
