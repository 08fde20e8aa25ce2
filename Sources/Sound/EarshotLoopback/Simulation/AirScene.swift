package import EarshotChannel
package import EarshotCoding
package import EarshotModem

/// Frames through simulated air to a receiver: one from each talker, all from a seed.
///
/// The signal-to-noise ratio is that of the project's definition: the power of a sine at the signal's peak over the noise
/// in 1,500 Hz.
package struct AirScene: Sendable {
    /// The profile that is sent; the receiver listens for all.
    package var profile = Profile.standard
    /// The number of bytes of payload.
    package var payloadByteCount = Payload.tokenCount
    /// Whether the talkers' payloads are alike: numbers that follow each other, so that only the last byte differs. Otherwise each
    /// payload is random, and all are different.
    package var arePayloadsAlike = false
    /// How often each talker sends its token, in a burst; 1 for a frame alone.
    package var burstCount = 1
    /// How many repeats the receiver combines; 1 for none.
    package var combinedCount = 1
    /// Whether each microphone has its own receiver.
    package var separatesChannels = false
    /// The transmitters' sample rate in hertz.
    package var sampleRateHertz = 48_000
    /// The signal-to-noise ratio in decibels.
    package var snrDecibels = 30.0
    /// The peak of a signal, as an amplitude; full scale is 1.
    package var amplitude: Float = 0.25
    /// The channel between talkers and receiver.
    package var air = Air()

    /// A token in `standard` at 30 dB, in free air.
    package init() {}

    /// The receiver's sample rate in hertz.
    package var receivedRateHertz: Int { air.receiverRateHertz ?? sampleRateHertz }

    /// Sends one frame a talker and judges the reports. For many trials, prepare a scene once.
    /// - Throws: `ModemError` if the profile does not fit into a sample rate.
    package func run(seed: UInt64) throws(ModemError) -> AirOutcome {
        try PreparedScene(self).run(seed: seed)
    }
}

extension AirScene {
    /// The sound of one trial, and the sample at which the first talker's frame starts.
    /// - Throws: `ModemError` if the profile does not fit into a sample rate.
    package func sound(seed: UInt64) throws(ModemError) -> (samples: [Float], payload: Payload, startSample: Int) {
        var (sound, payloads) = try PreparedScene(self).sound(seed: seed)
        return (sound.readAll(), payloads[0], sound.startSamples[0])
    }
}
