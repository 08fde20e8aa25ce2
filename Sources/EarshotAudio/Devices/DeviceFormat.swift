/// What a program asks of a sound device. What is nil is chosen to suit the device.
public struct DeviceRequest: Sendable, Equatable {
    /// The name of an ALSA PCM: "default", "hw:1,0", "plughw:CARD=Mic", or one of `~/.asoundrc`.
    public var name: String
    /// Frames a second, 44,100 … 192,000.
    public var sampleRateHertz: Int?
    /// Interleaved channels, 1 … 8.
    public var channelCount: Int?
    /// How samples are stored.
    public var encoding: DeviceEncoding?
    /// How much sound is passed on at a time: short is early, long is cheap.
    public var periodSeconds: Double
    /// How long this process may be kept from its work before sound is lost.
    public var bufferSeconds: Double

    /// The sample rates that can be asked for.
    public static let validSampleRatesHertz = 44_100...192_000
    /// The channel counts that can be asked for.
    public static let validChannelCounts = 1...8

    /// A request for a PCM; with the defaults a period of 40 ms and a buffer of half a second.
    public init(
        _ name: String = "default", sampleRateHertz: Int? = nil, channelCount: Int? = nil,
        encoding: DeviceEncoding? = nil, periodSeconds: Double = 0.04, bufferSeconds: Double = 0.5
    ) {
        precondition(
            sampleRateHertz.map(DeviceRequest.validSampleRatesHertz.contains) ?? true,
            "sample rate outside \(DeviceRequest.validSampleRatesHertz)")
        precondition(
            channelCount.map(DeviceRequest.validChannelCounts.contains) ?? true,
            "channel count outside \(DeviceRequest.validChannelCounts)")
        precondition(
            periodSeconds >= 0.001 && bufferSeconds >= 2 * periodSeconds && bufferSeconds <= 10,
            "period \(periodSeconds) s, buffer \(bufferSeconds) s")
        self.name = name
        self.sampleRateHertz = sampleRateHertz
        self.channelCount = channelCount
        self.encoding = encoding
        self.periodSeconds = periodSeconds
        self.bufferSeconds = bufferSeconds
    }
}

/// What an opened device does.
public struct DeviceFormat: Sendable, Equatable {
    /// What lies between us and the converter.
    public enum Path: Sendable, Equatable {
        /// The device itself, at this rate.
        case direct
        /// ALSA's own resampler: the device does not offer this rate.
        case resampledByALSA
        /// A sound server. What the hardware runs at, where the kernel tells; it resamples if that is another rate.
        case soundServer(hardwareRateHertz: Int?)
    }

    /// The PCM as the caller named it.
    public let name: String
    /// Frames a second.
    public let sampleRateHertz: Int
    /// Interleaved channels.
    public let channelCount: Int
    /// How samples are stored on their way to or from the device.
    public let encoding: DeviceEncoding
    /// Frames that are passed on at a time.
    public let periodFrameCount: Int
    /// Frames that the device holds.
    public let bufferFrameCount: Int
    /// What lies between us and the converter.
    public let path: Path

    /// A warning where something on the way resamples, and what to do about it; nil where nothing does, or nobody
    /// knows.
    public var resamplingWarning: String? {
        switch path {
        case .direct, .soundServer(hardwareRateHertz: nil): nil
        case .soundServer(let rate?):
            rate == sampleRateHertz
                ? nil
                : "the sound server resamples from \(rate) to \(sampleRateHertz) Hz, which may cut tones near 20 kHz: "
                    + "ask for \(rate) Hz"
        case .resampledByALSA:
            "ALSA resamples to \(sampleRateHertz) Hz, which may cut tones near 20 kHz: "
                + "ask for a rate of the device's own ('earshot devices')"
        }
    }
}
