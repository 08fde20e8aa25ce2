/// A caller's wish that the modem cannot grant.
public enum ModemError: Error, Equatable, Sendable, CustomStringConvertible {
    /// At this rate there is no room for 20 kHz below half the rate.
    case sampleRateTooLow(hertz: Int)
    /// Beyond what is sensible, and what memory is set aside for.
    case sampleRateTooHigh(hertz: Int)

    /// The sample rates that carry the band and for which filters of a sensible size exist.
    public static let validSampleRatesHertz = 44_100...768_000

    /// What is wrong and what would work.
    public var description: String {
        switch self {
        case .sampleRateTooLow(let hertz):
            "a sample rate of \(hertz) Hz cannot carry 20 kHz; use 44100 Hz or more"
        case .sampleRateTooHigh(let hertz):
            "a sample rate of \(hertz) Hz is beyond what is supported; use at most 768000 Hz"
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
