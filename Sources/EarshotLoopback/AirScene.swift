public import EarshotChannel
public import EarshotCoding
public import EarshotModem
import RealModule

/// One frame through simulated air to a receiver, and what came back.
///
/// Everything between is deterministic from a seed: payload, start, room, phase of the interferer, noise. What signal-to-
/// noise ratio means is the project's definition: the power of a sine at the signal's peak over the noise in 1,500 Hz.
public struct AirScene: Sendable {
    /// The profile that is sent; the receiver listens for all.
    public var profile = Profile.standard
    /// Bytes of payload.
    public var payloadByteCount = Payload.tokenCount
    /// Samples a second.
    public var sampleRateHertz = 48_000
    /// See the type.
    public var snrDecibels = 30.0
    /// The signal's peak; full scale is 1.
    public var amplitude: Float = 0.25
    /// Whether what exceeds full scale is cut off.
    public var isClipped = false
    /// Frequencies and speed times 1 + this: motion, or clocks that differ.
    public var relativeOffset = 0.0
    /// The room, if any.
    public var room: Room?
    /// A steady tone somewhere in the band, this much above the signal.
    public var interfererDecibels: Double?
    /// How much the signal falls off over the band.
    public var tiltDecibels = 0.0

    /// A token in `standard` at 30 dB, in free air.
    public init() {}

    /// What a receiver made of it.
    public struct Outcome: Sendable {
        /// What was sent.
        public var payload: Payload
        /// Where it was sent: samples.
        public var startSample: Int
        /// All that was reported.
        public var frames: [ReceivedFrame]
        /// What the receiver did.
        public var statistics: ReceiverStatistics
        /// The profile it was sent in.
        public var profileName: String

        /// How often what was sent was reported.
        public var hitCount: Int {
            frames.count { $0.payload == payload && $0.profileName == profileName }
        }
        /// Reports of something that was not sent.
        public var wrongCount: Int { frames.count - hitCount }
    }

    /// The air's sound with the frame in it, and where the frame starts. It begins a quarter to half a second before the
    /// frame and ends a third of a second behind.
    public func sound(seed: UInt64) throws(ModemError) -> (samples: [Float], payload: Payload, startSample: Int) {
        var generator = SeededGenerator(seed: seed)
        let bytes = (0..<payloadByteCount).map { _ in UInt8(truncatingIfNeeded: generator.next()) }
        guard let payload = try? Payload(bytes) else { preconditionFailure("\(payloadByteCount) bytes of payload") }
        var signal = try Transmitter(profile: profile, sampleRateHertz: sampleRateHertz)
            .samples(payload, amplitude: amplitude)
        // Symbols need not start on a sample of ours.
        let motion = TimeScale(relativeOffset: relativeOffset, fractionalDelay: Double(generator.uniform()))
        signal = motion.apply(to: signal)
        if tiltDecibels != 0 {
            let tilt = FrequencyResponse.tilt(decibels: tiltDecibels)
            signal = tilt.apply(to: signal, sampleRateHertz: sampleRateHertz)
        }
        if let room {
            signal = room.apply(to: signal, sampleRateHertz: sampleRateHertz, seed: generator.next())
        }
        let startSample = Int((0.25 + 0.25 * Double(generator.uniform())) * Double(sampleRateHertz))
        var air = [Float](repeating: 0, count: startSample)
        air += signal
        air += [Float](repeating: 0, count: sampleRateHertz / 3)
        if let interfererDecibels {
            addInterferer(to: &air, decibels: interfererDecibels, place: Double(generator.uniform()))
        }
        var noise = WhiteNoise(seed: generator.next())
        let deviation = WhiteNoise.deviation(
            amplitude: amplitude, snrDecibels: snrDecibels, sampleRateHertz: sampleRateHertz)
        noise.add(to: &air, deviation: deviation)
        if isClipped {
            for index in air.indices {
                air[index] = min(max(air[index], -1), 1)
            }
        }
        return (air, payload, startSample)
    }

    /// Sends one frame and judges what is received.
    public func run(seed: UInt64) throws(ModemError) -> Outcome {
        let (samples, payload, startSample) = try sound(seed: seed)
        var receiver = try Receiver(sampleRateHertz: sampleRateHertz)
        var frames: [ReceivedFrame] = []
        receiver.push(samples.span) { frames.append($0) }
        receiver.flush { frames.append($0) }
        return Outcome(
            payload: payload, startSample: startSample, frames: frames, statistics: receiver.statistics,
            profileName: profile.name)
    }

    private func addInterferer(to air: inout [Float], decibels: Double, place: Double) {
        let hertz = Double(profile.lowestHertz) + Double(profile.bandwidthHertz) * place
        let level = Double(amplitude) * .pow(10, decibels / 20)
        let radiansPerSample = 2 * Double.pi * hertz / Double(sampleRateHertz)
        for index in air.indices {
            air[index] += Float(level * .sin(radiansPerSample * Double(index)))
        }
    }
}

/// What many trials of one scene came to.
public struct AirTally: Sendable {
    /// Trials made.
    public private(set) var trialCount = 0
    /// Trials in which what was sent was reported.
    public private(set) var decodedCount = 0
    /// Reports beyond one a trial of what was sent.
    public private(set) var duplicateCount = 0
    /// Reports of something that was not sent.
    public private(set) var wrongCount = 0

    /// Nothing yet.
    public init() {}

    /// decoded / trials.
    public var decodedShare: Double { Double(decodedCount) / Double(max(trialCount, 1)) }

    /// Adds one trial.
    public mutating func add(_ outcome: AirScene.Outcome) {
        trialCount += 1
        decodedCount += min(outcome.hitCount, 1)
        duplicateCount += max(outcome.hitCount - 1, 0)
        wrongCount += outcome.wrongCount
    }

    /// Runs `trialCount` trials of a scene, with seeds from `seed` on.
    public static func of(_ scene: AirScene, trialCount: Int, seed: UInt64) throws(ModemError) -> AirTally {
        var tally = AirTally()
        for trial in 0..<trialCount {
            tally.add(try scene.run(seed: seed &+ UInt64(trial) &* 0x1_0001))
        }
        return tally
    }
}
