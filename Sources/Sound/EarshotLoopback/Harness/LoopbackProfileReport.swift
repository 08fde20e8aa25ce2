package import EarshotCoding
import EarshotModem
import RealModule

/// The results of one profile.
package struct LoopbackProfileReport: Sendable, Equatable {
    /// The profile's name: "fast", "standard", "far".
    package let name: String
    /// Tokens that were played to their ends.
    package let sentCount: Int
    /// Played tokens that were heard.
    package let decodedCount: Int
    /// Frames that were not sent, or not at that time.
    package let wrongCount: Int
    /// Frames that had been reported before.
    package let duplicateCount: Int
    /// The tokens that were not heard, in the order of sending.
    package let missing: [Payload]
    /// The signal-to-noise ratios that the receiver reported, in decibels.
    package let snrDecibels: Spread?
    /// Seconds from the playback of a token's first sample to the event that reports it.
    package let latencySeconds: Spread?
    /// The levels of the tokens as the peaks of sines, in dBFS. They include echoes; the noise at the beginning is subtracted.
    package let levelDecibels: Spread?

    /// Whether at least this share of the tokens was heard, 0 ... 1, and no other frame. False without tokens.
    package func isPassed(requiredShare: Double) -> Bool {
        // Slightly less, so that 0.95 of 20 is 19.
        sentCount > 0 && Double(decodedCount) >= requiredShare * Double(sentCount) - 1e-9 && wrongCount == 0
            && duplicateCount == 0
    }

    init(_ tally: ProfileTally) {
        name = tally.name
        sentCount = tally.sentCount
        decodedCount = tally.decodedCount
        wrongCount = tally.wrongCount
        duplicateCount = tally.duplicateCount
        missing = tally.missing
        snrDecibels = Spread(tally.snrDecibels)
        latencySeconds = Spread(tally.latencySeconds)
        levelDecibels = Spread(tally.levelDecibels)
    }
}

/// The figures of one profile while they are collected.
struct ProfileTally {
    let name: String
    var sentCount = 0
    var wrongCount = 0
    var duplicateCount = 0
    var missing: [Payload] = []
    private(set) var decodedCount = 0
    private(set) var snrDecibels: [Double] = []
    private(set) var latencySeconds: [Double] = []
    private(set) var levelDecibels: [Double] = []

    /// The level of the band without a token, in dBFS, if it is known.
    private let quietDecibels: Double?

    init(_ name: String, quietDecibels: Double?) {
        self.name = name
        self.quietDecibels = quietDecibels
    }

    mutating func addDecoded(_ heard: KeptFrame, latencySeconds: Double?) {
        decodedCount += 1
        snrDecibels.append(Double(heard.frame.snrDecibels))
        if let latencySeconds { self.latencySeconds.append(latencySeconds) }
        if let level = heard.levelDecibels {
            // The level includes token and noise, so the noise is subtracted; at least a tenth is left.
            let noiseShare = quietDecibels.map { .pow(10, ($0 - level) / 10) } ?? 0
            levelDecibels.append(level + 10 * .log10(max(1 - noiseShare, 0.1)))
        }
    }
}

/// The distribution of some values.
package struct Spread: Sendable, Equatable {
    /// The minimum.
    package let minimum: Double
    /// The upper median.
    package let median: Double
    /// The 95th percentile: at most one value in twenty is larger.
    package let percentile95: Double
    /// The maximum.
    package let maximum: Double

    /// The distribution; nil without values.
    init?(_ values: [Double]) {
        guard !values.isEmpty else { return nil }
        let sorted = values.sorted()
        minimum = sorted[0]
        median = sorted[sorted.count / 2]
        percentile95 = sorted[(sorted.count * 19 + 19) / 20 - 1]
        maximum = sorted[sorted.count - 1]
    }
}
