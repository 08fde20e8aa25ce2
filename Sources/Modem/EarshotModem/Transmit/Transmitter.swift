public import EarshotCoding

/// Turns payloads into samples.
///
/// It has no state: the same payload always gives the same samples.
public struct Transmitter: Sendable {
    /// The profile of the transmitter.
    public let profile: Profile
    /// The rate of its samples, in hertz.
    public let sampleRateHertz: Int

    /// A transmitter at a sample rate.
    /// - Parameters:
    ///   - profile: the air format.
    ///   - sampleRateHertz: samples a second, in `ModemError.validSampleRatesHertz`.
    /// - Throws: `ModemError` if the sample rate is below or above the valid ones.
    public init(profile: Profile = .standard, sampleRateHertz: Int) throws(ModemError) {
        try ModemError.checkSampleRate(sampleRateHertz)
        self.profile = profile
        self.sampleRateHertz = sampleRateHertz
    }

    /// The number of samples of one frame.
    /// - Parameter payloadByteCount: the payload's bytes, in `Payload.validCounts`.
    public func sampleCount(payloadByteCount: Int) -> Int {
        let seconds = profile.frameSeconds(payloadByteCount: payloadByteCount)
        return Int((seconds * Double(sampleRateHertz)).rounded(.up))
    }

    /// The frame of a payload.
    /// - Parameters:
    ///   - payload: the bytes of the frame.
    ///   - amplitude: the peak, full scale is 1.
    /// - Returns: samples from the frame's start to its end, ramps included; shape [sampleCount].
    public func samples(_ payload: Payload, amplitude: Float = 1) -> [Float] {
        let tones = FrameTones.tones(of: payload, profile: profile)
        let synthesizer = ToneSynthesizer(
            toneHertz: tones.map(profile.toneHertz), symbolSeconds: profile.symbolSeconds,
            stepDeviationSeconds: profile.stepDeviationSymbols * profile.symbolSeconds,
            rampSeconds: profile.rampSeconds, sampleRateHertz: Double(sampleRateHertz))
        return synthesizer.samples().map { amplitude * $0 }
    }

    /// The number of samples of a burst: frame j starts at sample round(j·56·T·F), see `docs/PROTOCOL.md` §7.
    /// - Parameter frameCount: the number of repetitions of the token in the burst, 1 or one of
    ///   `FrameLayout.burstCounts`.
    public func burstSampleCount(frameCount: Int) -> Int {
        burstStart(frameCount - 1) + sampleCount(payloadByteCount: Payload.tokenCount)
    }

    /// A burst: repetitions of a token, which a receiver can read together.
    /// - Parameters:
    ///   - token: a payload of 8 bytes.
    ///   - frameCount: 1 or one of `FrameLayout.burstCounts`.
    ///   - amplitude: the peak, full scale is 1.
    /// - Returns: samples from the first frame's start to the last one's end; shape [burstSampleCount].
    /// - Throws: `ModemError.burstOfNoToken` if the payload does not have 8 bytes, `ModemError.burstCount` if the
    ///   number of frames is not valid.
    public func burst(_ token: Payload, frameCount: Int, amplitude: Float = 1) throws(ModemError) -> [Float] {
        guard token.count == Payload.tokenCount else { throw .burstOfNoToken(byteCount: token.count) }
        guard frameCount == 1 || FrameLayout.burstCounts.contains(frameCount) else { throw .burstCount(frameCount) }
        let frame = samples(token, amplitude: amplitude)
        var burst = [Float](repeating: 0, count: burstSampleCount(frameCount: frameCount))
        for index in 0..<frameCount {
            let start = burstStart(index)
            burst.replaceSubrange(start..<start + frame.count, with: frame)
        }
        return burst
    }

    private func burstStart(_ index: Int) -> Int {
        Int(
            (Double(index * FrameLayout.burstSpacingToneCount) * profile.symbolSeconds * Double(sampleRateHertz))
                .rounded())
    }

    /// The tones of a payload's frame, one for each symbol, each in 0 ..< M; shape [FrameLayout.toneCount].
    public func tones(_ payload: Payload) -> [Int] {
        FrameTones.tones(of: payload, profile: profile)
    }
}
