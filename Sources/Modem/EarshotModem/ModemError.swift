import EarshotCoding

/// A sample rate or a burst that the modem cannot use.
public enum ModemError: Error, Equatable, Sendable, CustomStringConvertible {
    /// Half of this sample rate is below the band's upper edge of 20 kHz, with room for a filter.
    case sampleRateTooLow(hertz: Int)
    /// This sample rate is above the maximum that filters and buffers are designed for.
    case sampleRateTooHigh(hertz: Int)
    /// A burst of a payload of this many bytes, which is not a token.
    case burstOfNoToken(byteCount: Int)
    /// A burst of this many frames, which is neither 1 nor one of `FrameLayout.burstCounts`.
    case burstCount(Int)

    /// The sample rates that carry the band and have filters of a sensible size, in hertz.
    public static let validSampleRatesHertz = 44_100...768_000

    /// The problem and the remedy, in one sentence.
    public var description: String {
        switch self {
        case .sampleRateTooLow(let hertz):
            "a sample rate of \(hertz) Hz cannot carry 20 kHz; use 44100 Hz or more"
        case .sampleRateTooHigh(let hertz):
            "a sample rate of \(hertz) Hz is beyond what is supported; use at most 768000 Hz"
        case .burstOfNoToken(let byteCount):
            "a burst carries a token of \(Payload.tokenCount) bytes, not \(byteCount); send one frame instead"
        case .burstCount(let count):
            "a burst of \(count) frames does not exist; use 1 to \(FrameLayout.burstCounts.upperBound)"
        }
    }

    static func checkSampleRate(_ hertz: Int) throws(ModemError) {
        if hertz < validSampleRatesHertz.lowerBound {
            throw .sampleRateTooLow(hertz: hertz)
        }
        if hertz > validSampleRatesHertz.upperBound {
            throw .sampleRateTooHigh(hertz: hertz)
        }
    }
}
