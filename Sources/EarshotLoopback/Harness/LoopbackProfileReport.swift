package import EarshotCoding
import EarshotModem
import RealModule

/// What one profile came to.
package struct LoopbackProfileReport: Sendable, Equatable {
    /// "fast", "standard", "far".
    package let name: String
    /// Tokens that were played to their ends.
    package let sentCount: Int
    /// Those of them that were heard.
    package let decodedCount: Int
    /// Frames that were not sent, or not then.
    package let wrongCount: Int
    /// Frames that were reported although they had been before.
    package let duplicateCount: Int
    /// The tokens that were not heard, in the order in which they were sent.
    package let missing: [Payload]
    /// The receiver's signal-to-noise ratios, decibels.
    package let snrDecibels: Spread?
    /// From a token's first sample on its way out to the event that it was heard.
    package let latencySeconds: Spread?
    /// How loud the tokens were, echoes included and the noise of the beginning taken away, as the peaks of sines:
    /// dBFS.
    package let levelDecibels: Spread?

    /// Whether at least that share of the tokens was heard, 0 ... 1, and nothing else. Nothing sent is nothing shown.
    package func isPassed(requiredShare: Double) -> Bool {
        // A hair less, so that 0.95 of 20 is 19.
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

/// The figures of one profile as they come together.
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

    /// How loud the band is without any token, where that is known.
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
            // Token and noise together, so the noise is taken away; a tenth is left at least.
            let noiseShare = quietDecibels.map { .pow(10, ($0 - level) / 10) } ?? 0
            levelDecibels.append(level + 10 * .log10(max(1 - noiseShare, 0.1)))
        }
    }
}

/// Where some values lie.
package struct Spread: Sendable, Equatable {
    /// The smallest.
    package let least: Double
    /// The upper median.
    package let median: Double
    /// At most one value in twenty is larger.
    package let percentile95: Double
    /// The largest.
    package let most: Double

    /// nil without values.
    init?(_ values: [Double]) {
        guard !values.isEmpty else { return nil }
        let sorted = values.sorted()
        least = sorted[0]
        median = sorted[sorted.count / 2]
        percentile95 = sorted[(sorted.count * 19 + 19) / 20 - 1]
        most = sorted[sorted.count - 1]
    }
}
