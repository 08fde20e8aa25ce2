/// How surely a token is heard again a period after it was heard: what was due against what came, the latest counting most.
struct RepeatShare: Sendable {
    private var dueCount = 0.0
    private var cameCount = 0.0
    private static let expectedWeight = 16.0
    /// About so many tokens are remembered.
    private let memory: Double

    init(memory: Double) {
        self.memory = memory
    }

    /// One came, after so many that did not.
    mutating func add(missCount: Int) {
        for miss in 0...missCount {
            dueCount += 1 - dueCount / memory
            cameCount += (miss == missCount ? 1 : 0) - cameCount / memory
        }
    }

    /// q: what was measured, with what was to be expected, which counts as so many tokens.
    func share(expected: Double) -> Double {
        (cameCount + Self.expectedWeight * expected) / (dueCount + Self.expectedWeight)
    }

    /// How many misses in a row are no longer chance.
    ///
    ///     m = ⌈ln ε / ln(1 − q)⌉
    ///
    /// - Parameter risk: ε.
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
