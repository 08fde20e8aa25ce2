public import EarshotChannel
public import EarshotCoding
public import EarshotModem

/// Frames through simulated air to a receiver: one from each talker, all from a seed.
///
/// What signal-to-noise ratio means is the project's definition: the power of a sine at the signal's peak over the noise
/// in 1,500 Hz.
public struct AirScene: Sendable {
    /// The profile that is sent; the receiver listens for all.
    public var profile = Profile.standard
    /// Bytes of payload.
    public var payloadByteCount = Payload.tokenCount
    /// How often each talker sends its token, in a burst; 1 for a frame alone.
    public var burstCount = 1
    /// How many repeats the receiver reads together; 1 for none.
    public var combinedCount = 1
    /// The transmitters' samples a second.
    public var sampleRateHertz = 48_000
    /// See the type.
    public var snrDecibels = 30.0
    /// A signal's peak; full scale is 1.
    public var amplitude: Float = 0.25
    /// What lies between.
    public var air = Air()

    /// A token in `standard` at 30 dB, in free air.
    public init() {}

    /// The receiver's samples a second.
    public var receivedRateHertz: Int { air.receiverRateHertz ?? sampleRateHertz }

    /// Sends one frame a talker and judges what is received. For many trials prepare a scene once.
    public func run(seed: UInt64) throws(ModemError) -> AirOutcome {
        try PreparedScene(self).run(seed: seed)
    }
}

extension AirScene {
    /// The sound of one trial, and where the first talker's frame starts in it.
    public func sound(seed: UInt64) throws(ModemError) -> (samples: [Float], payload: Payload, startSample: Int) {
        var (sound, payloads) = try PreparedScene(self).sound(seed: seed)
        return (sound.readAll(), payloads[0], sound.startSamples[0])
    }
}
