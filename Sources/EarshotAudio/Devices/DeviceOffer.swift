/// What one PCM offers in one direction, by itself: without ALSA's resampler.
public struct DeviceOffer: Sendable, Equatable {
    /// What a program would get that leaves the choice to us.
    public struct Choice: Sendable, Equatable {
        /// Frames a second.
        public var sampleRateHertz: Int
        /// How samples are stored.
        public var encoding: DeviceEncoding
        /// Interleaved channels.
        public var channelCount: Int
    }

    /// Rates that are asked for one by one. Converters have few of these, converting plugins all.
    public static let usualRatesHertz = [
        8_000, 11_025, 12_000, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000, 64_000, 88_200, 96_000, 176_400, 192_000,
    ]

    /// What it is.
    public var kind: DeviceKind
    /// The sound card behind it, counted from 0; nil where there is none, or nobody says.
    public var cardNumber: Int?
    /// Those of `usualRatesHertz` that it has, ascending.
    public var ratesHertz: [Int]
    /// Its lowest and its highest rate, usual or not.
    public var rateRangeHertz: ClosedRange<Int>
    /// The encodings that we handle.
    public var encodings: [DeviceEncoding]
    /// What else it has, by ALSA's names.
    public var otherEncodings: [String]
    /// Interleaved channels, from the fewest to the most.
    public var channelCounts: ClosedRange<Int>
    /// Nil where nothing of what it offers suits us.
    public var choice: Choice?
    /// Behind a sound server: the rate at which a converter of this machine runs now, where the kernel tells.
    public var hardwareRateHertz: Int?
}

/// Whether a device can carry 18.5 to 20 kHz, as far as rates decide it. Its filters, its loudspeaker and its microphone
/// decide too, and only a trial tells about them.
public struct BandAnswer: Sendable, Equatable {
    /// The answer in one word.
    public enum Verdict: String, CaseIterable, Sendable {
        /// Its rate and encoding are enough.
        case yes
        /// If what is behind it runs at 44.1 kHz or more, which nobody can tell from here.
        case likely
        /// Certainly not.
        case no
    }

    /// The answer.
    public let verdict: Verdict
    /// Why, a clause without a full stop.
    public let reason: String
    /// What to look after, a clause without a full stop; nil where there is nothing.
    public let warning: String?

    init(_ verdict: Verdict, _ reason: String, warning: String? = nil) {
        self.verdict = verdict
        self.reason = reason
        self.warning = warning
    }
}

extension DeviceOffer {
    /// Whether it can carry 18.5 to 20 kHz: at 44.1 kHz or more, in an encoding that we handle, with nothing slower
    /// behind it.
    public var canCarryBand: BandAnswer {
        if kind == .null { return BandAnswer(.no, "it discards sound and delivers silence") }
        guard let choice else { return BandAnswer(.no, whatIsMissing) }
        let lowest = DeviceRequest.validSampleRatesHertz.lowerBound
        if let hardwareRateHertz {
            if hardwareRateHertz < lowest {
                return BandAnswer(
                    .no, "the sound card at work behind it runs at \(hardwareRateHertz) Hz, and \(lowest) Hz are needed"
                )
            }
            return BandAnswer(
                .yes, "the sound card at work behind it runs at \(hardwareRateHertz) Hz",
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
            : BandAnswer(.likely, "if what is behind it runs at \(lowest) Hz or more")
    }

    /// Why there is no choice.
    private var whatIsMissing: String {
        let valid = DeviceRequest.validSampleRatesHertz
        if rateRangeHertz.upperBound < valid.lowerBound {
            let resampled = kind == .converter ? ", and resampling brings nothing back" : ""
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
