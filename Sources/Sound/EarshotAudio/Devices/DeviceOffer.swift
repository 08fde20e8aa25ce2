/// The capabilities of one PCM in one direction, without ALSA's resampler.
public struct DeviceOffer: Sendable, Equatable {
    /// The format that a program gets if its request leaves the choice to the device.
    public struct Choice: Sendable, Equatable {
        /// The sample rate in frames a second.
        public var sampleRateHertz: Int
        /// The encoding of the samples.
        public var encoding: DeviceEncoding
        /// The number of interleaved channels.
        public var channelCount: Int
    }

    /// The sample rates that the probe tests one by one, in hertz. Converters have few of these, converting plugins
    /// all.
    public static let usualRatesHertz = [
        8_000, 11_025, 12_000, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000, 64_000, 88_200, 96_000, 176_400, 192_000,
    ]

    /// The kind of the PCM.
    public var kind: DeviceKind
    /// The number of the sound card behind the PCM, from 0; nil if there is none, or it is unknown.
    public var cardNumber: Int?
    /// The supported rates among `usualRatesHertz`, ascending, in hertz.
    public var ratesHertz: [Int]
    /// The minimum and maximum supported rate in hertz, usual or not.
    public var rateRangeHertz: ClosedRange<Int>
    /// The supported encodings that this package handles.
    public var encodings: [DeviceEncoding]
    /// The other supported encodings, by ALSA's names.
    public var otherEncodings: [String]
    /// The minimum and maximum number of interleaved channels.
    public var channelCounts: ClosedRange<Int>
    /// The format that `PCM` chooses; nil if the PCM offers no usable format.
    public var choice: Choice?
    /// The rate in hertz at which a converter behind a sound server runs now; nil if the kernel does not report one.
    public var hardwareRateHertz: Int?
}

/// Whether a device can carry 18.5 to 20 kHz, judged by its rates. Its filters, loudspeaker and microphone matter too,
/// and only a trial tests those.
public struct BandAnswer: Sendable, Equatable {
    /// The answer in one word.
    public enum Verdict: String, CaseIterable, Sendable {
        /// Rate and encoding suffice.
        case yes
        /// They suffice if the underlying hardware runs at 44.1 kHz or more, which the probe cannot find out.
        case likely
        /// Rate or encoding rule the band out.
        case no
    }

    /// The answer in one word.
    public let verdict: Verdict
    /// The reason, a clause without a full stop.
    public let reason: String
    /// A risk to check, a clause without a full stop; nil if there is none.
    public let warning: String?

    init(_ verdict: Verdict, _ reason: String, warning: String? = nil) {
        self.verdict = verdict
        self.reason = reason
        self.warning = warning
    }
}

extension DeviceOffer {
    /// Whether the device can carry 18.5 to 20 kHz: at 44.1 kHz or more, in an encoding that this package handles,
    /// without a slower underlying device.
    public var canCarryBand: BandAnswer {
        if kind == .null { return BandAnswer(.no, "it discards sound and delivers silence") }
        guard let choice else { return BandAnswer(.no, missingCapability) }
        let lowest = DeviceRequest.validSampleRatesHertz.lowerBound
        if let hardwareRateHertz {
            if hardwareRateHertz < lowest {
                return BandAnswer(
                    .no, "its sound card runs at \(hardwareRateHertz) Hz, and at least \(lowest) Hz are needed"
                )
            }
            return BandAnswer(
                .yes, "its sound card runs at \(hardwareRateHertz) Hz",
                warning: hardwareRateHertz == choice.sampleRateHertz
                    ? nil
                    : "it resamples to \(choice.sampleRateHertz) Hz, which may cut tones near 20 kHz: "
                        + "ask for \(hardwareRateHertz) Hz")
        }
        let isCertain =
            switch kind {
            case .hardware, .shared: true
            case .converter: cardNumber != nil
            case .resampler, .soundServer, .file, .null: false
            }
        return isCertain
            ? BandAnswer(.yes, "it runs at \(choice.sampleRateHertz) Hz")
            : BandAnswer(.likely, "if its hardware runs at \(lowest) Hz or more")
    }

    /// The reason why there is no choice.
    private var missingCapability: String {
        let valid = DeviceRequest.validSampleRatesHertz
        if rateRangeHertz.upperBound < valid.lowerBound {
            let resampled = kind == .converter ? ", and resampling cannot restore the band" : ""
            return
                "it runs at \(rateRangeHertz.upperBound) Hz at most, and \(valid.lowerBound) Hz are needed\(resampled)"
        }
        if !ratesHertz.contains(where: PCM.preferredRatesHertz.contains) {
            let rates = PCM.preferredRatesHertz.sorted().map(String.init).joined(separator: ", ")
            return "it has none of the rates \(rates) Hz"
        }
        if encodings.isEmpty {
            return "it has none of the encodings \(DeviceEncoding.allCases.map(\.rawValue).joined(separator: ", "))"
        }
        return "it has no combination of rate, encoding and \(DeviceRequest.validChannelCounts.lowerBound) to "
            + "\(DeviceRequest.validChannelCounts.upperBound) channels that suits"
    }
}
