package import EarshotChannel
package import EarshotCoding
package import EarshotModem

/// Frames through simulated air to a receiver: one from each talker, all from a seed.
///
/// What signal-to-noise ratio means is the project's definition: the power of a sine at the signal's peak over the noise
/// in 1,500 Hz.
package struct AirScene: Sendable {
    /// The profile that is sent; the receiver listens for all.
    package var profile = Profile.standard
    /// Bytes of payload.
    package var payloadByteCount = Payload.tokenCount
    /// How often each talker sends its token, in a burst; 1 for a frame alone.
    package var burstCount = 1
    /// How many repeats the receiver reads together; 1 for none.
    package var combinedCount = 1
    /// The transmitters' samples a second.
    package var sampleRateHertz = 48_000
    /// See the type.
    package var snrDecibels = 30.0
    /// A signal's peak; full scale is 1.
    package var amplitude: Float = 0.25
    /// What lies between.
    package var air = Air()

    /// A token in `standard` at 30 dB, in free air.
    package init() {}

    /// The receiver's samples a second.
    package var receivedRateHertz: Int { air.receiverRateHertz ?? sampleRateHertz }

    /// Sends one frame a talker and judges what is received. For many trials prepare a scene once.
    package func run(seed: UInt64) throws(ModemError) -> AirOutcome {
        try PreparedScene(self).run(seed: seed)
    }
}

extension AirScene {
    /// The sound of one trial, and where the first talker's frame starts in it.
    package func sound(seed: UInt64) throws(ModemError) -> (samples: [Float], payload: Payload, startSample: Int) {
        var (sound, payloads) = try PreparedScene(self).sound(seed: seed)
        return (sound.readAll(), payloads[0], sound.startSamples[0])
    }
}
