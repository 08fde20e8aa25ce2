/// The probability that a token is heard again a period later: the repeats that came over those that were due, the
/// latest with the most weight.
struct RepeatShare: Sendable {
    private var dueCount = 0.0
    private var cameCount = 0.0
    private static let expectedWeight = 16.0
    /// The approximate number of tokens that it remembers.
    private let memory: Double

    init(memory: Double) {
        self.memory = memory
    }

    /// Adds a repeat that came, after the given number of misses.
    mutating func add(missCount: Int) {
        for miss in 0...missCount {
            dueCount += 1 - dueCount / memory
            cameCount += (miss == missCount ? 1 : 0) - cameCount / memory
        }
    }

    /// q, 0 ... 1: the measured share, and the expected one with the weight of 16 tokens.
    func share(expected: Double) -> Double {
        (cameCount + Self.expectedWeight * expected) / (dueCount + Self.expectedWeight)
    }

    /// The number of misses in a row that is no longer chance.
    ///
    ///     m = ⌈ln ε / ln(1 − q)⌉
    ///
    /// - Parameters:
    ///   - share: q, 0 ... 1.
    ///   - risk: ε, the probability that chance makes as many misses.
    static func missCount(share: Double, risk: Double) -> Int {
        let missShare = min(max(1 - share, 0.001), 0.95)
        var (count, left) = (1, missShare)
        while left > risk {
            count += 1
            left *= missShare
        }
        return count
    }
}
