/// A program's request to a sound device. A nil field leaves the choice to the device.
public struct DeviceRequest: Sendable, Equatable {
    /// The name of an ALSA PCM: "default", "hw:1,0", "plughw:CARD=Mic", or one of `~/.asoundrc`.
    public var name: String
    /// The sample rate in frames a second, 44,100 … 192,000.
    public var sampleRateHertz: Int?
    /// The number of interleaved channels, 1 … 8.
    public var channelCount: Int?
    /// The encoding of the samples.
    public var encoding: DeviceEncoding?
    /// The sound passed on at a time, in seconds: a short period means less delay, a long one less processor time.
    public var periodSeconds: Double
    /// The maximum delay of this process, in seconds, before sound is lost.
    public var bufferSeconds: Double

    /// The valid range of `sampleRateHertz`.
    public static let validSampleRatesHertz = 44_100...192_000
    /// The valid range of `channelCount`.
    public static let validChannelCounts = 1...8

    /// Creates a request for a PCM; the defaults are a period of 40 ms and a buffer of half a second.
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

/// The format in which a device was opened.
public struct DeviceFormat: Sendable, Equatable {
    /// The path between the program and the converter.
    public enum Path: Sendable, Equatable {
        /// The device itself, at this rate.
        case direct
        /// ALSA's own resampler, because the device does not offer this rate.
        case resampledByALSA
        /// A sound server. The hardware rate is nil if the kernel does not report it; the server resamples if it
        /// differs.
        case soundServer(hardwareRateHertz: Int?)
    }

    /// The PCM as the caller named it.
    public let name: String
    /// The sample rate in frames a second.
    public let sampleRateHertz: Int
    /// The number of interleaved channels.
    public let channelCount: Int
    /// The sample encoding between program and device.
    public let encoding: DeviceEncoding
    /// The number of frames passed on at a time.
    public let periodFrameCount: Int
    /// The number of frames that the device buffers.
    public let bufferFrameCount: Int
    /// The path between the program and the converter.
    public let path: Path

    /// A warning if a stage of the path resamples, with the remedy; nil if none does, or the path is unknown.
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
