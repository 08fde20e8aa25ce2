public import EarshotAudio
import EarshotChannel

/// Simulated air between transmitter and receiver: rooms, clocks that differ, somebody who walks by, white noise.
///
/// Each token is sent from another place in the room; the sweeps come from one. Clocks stretch the whole program,
/// Doppler a token from its beginning on: alternately one that comes closer and one that goes away. What
/// signal-to-noise ratio means is said at `AirScene`. The microphone's gain keeps the noise from clipping.
///
/// Holds what sounds at the moment, not the program.
public struct AirMedium: LoopbackMedium {
    /// The power of a sine at the signal's peak over the noise in 1,500 Hz.
    public var snrDecibels = 20.0
    /// Where it is; nil in free air.
    public var room: NamedRoom?
    /// How much faster the recorder's clock runs than the player's, parts per million: the recording is that much
    /// longer.
    public var clockPPM = 0.0
    /// How fast somebody walks by.
    public var speedMetresPerSecond = 0.0

    /// The rooms that can be asked for by name.
    public enum NamedRoom: String, CaseIterable, Sendable {
        /// See `Room.a`.
        case a
        /// See `Room.b`.
        case b
        /// See `Room.c`.
        case c

        var room: Room {
            switch self {
            case .a: .a
            case .b: .b
            case .c: .c
            }
        }
    }

    private static let soundMetresPerSecond = 343.0
    private static let blockLength = 4_096
    /// Peaks of noise are some 14 dB above its deviation.
    private static let largestNoiseDeviation: Float = 0.125

    /// Free air at 20 dB.
    public init() {}

    /// "air, SNR 20 dB".
    public var description: String {
        var parts = ["simulated air, SNR \(text(snrDecibels)) dB"]
        if let room { parts.append("room \(room.rawValue)") }
        if clockPPM != 0 { parts.append("clocks \(text(clockPPM)) ppm apart") }
        if speedMetresPerSecond != 0 { parts.append("±\(text(speedMetresPerSecond)) m/s") }
        return parts.joined(separator: ", ")
    }

    private func text(_ value: Double) -> String {
        value == value.rounded() ? "\(Int(value))" : "\(value)"
    }

    /// Simulates the whole program, faster than it would take.
    public func carry(_ run: LoopbackRun) throws(AudioError) {
        let program = run.program
        var ear = OfflineEar(run)
        var mixer = AirMixer(program, self)
        var noise = WhiteNoise(seed: program.order.seed &+ 1)
        let deviation = WhiteNoise.deviation(
            amplitude: program.order.amplitude, snrDecibels: snrDecibels, sampleRateHertz: program.sampleRateHertz)
        let gain = min(1, Self.largestNoiseDeviation / deviation)
        var block = [Float](repeating: 0, count: Self.blockLength)
        run.left(0, atSeconds: 0)
        while !run.isCancelled, case let count = mixer.read(into: &block), count > 0 {
            for index in 0..<count { block[index] = gain * (block[index] + deviation * noise.next()) }
            ear.hear(block.span.extracting(0..<count))
            run.left(mixer.programPosition, atSeconds: ear.seconds)
            run.progressed(to: Double(mixer.programPosition) / Double(program.sampleCount))
        }
        ear.finish()
    }

    /// ε of the clocks: a recorder that runs fast hears everything lower.
    var clockOffset: Double { 1 / (1 + clockPPM * 1e-6) - 1 }

    /// ε of token number `index`'s motion.
    func motionOffset(_ index: Int) -> Double {
        (index.isMultiple(of: 2) ? 1 : -1) * speedMetresPerSecond / Self.soundMetresPerSecond
    }
}
