public import EarshotCoding

/// Payloads to samples.
///
/// A value without state: the same payload gives the same samples, always.
public struct Transmitter: Sendable {
    /// The air format.
    public let profile: Profile
    /// Samples a second.
    public let sampleRateHertz: Int

    /// A transmitter at a sample rate.
    /// - Throws: `ModemError.sampleRateTooLow` where the rate cannot carry the band.
    public init(profile: Profile = .standard, sampleRateHertz: Int) throws(ModemError) {
        try ModemError.checkSampleRate(sampleRateHertz)
        self.profile = profile
        self.sampleRateHertz = sampleRateHertz
    }

    /// Samples of one frame with `payloadByteCount` bytes.
    public func sampleCount(payloadByteCount: Int) -> Int {
        let seconds = profile.frameSeconds(payloadByteCount: payloadByteCount)
        return Int((seconds * Double(sampleRateHertz)).rounded(.up))
    }

    /// The frame of a payload.
    /// - Parameter amplitude: the peak, full scale is 1.
    /// - Returns: samples from the frame's start to its end, ramps included; shape [sampleCount].
    public func samples(_ payload: Payload, amplitude: Float = 1) -> [Float] {
        let tones = FrameTones.tones(of: payload, profile: profile)
        let synthesizer = ToneSynthesizer(
            toneHertz: tones.map(profile.toneHertz), symbolSeconds: profile.symbolSeconds,
            stepDeviationSeconds: profile.stepDeviationSymbols * profile.symbolSeconds,
            rampSeconds: profile.rampSeconds, sampleRateHertz: Double(sampleRateHertz))
        return synthesizer.samples().map { amplitude * $0 }
    }

    /// The tone number of every symbol in the frame of a payload, 0 ..< M; shape [FrameLayout.toneCount].
    public func tones(_ payload: Payload) -> [Int] {
        FrameTones.tones(of: payload, profile: profile)
    }
}
