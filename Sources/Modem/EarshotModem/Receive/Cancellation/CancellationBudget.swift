/// Limits the searches that cancelled frames cause: a number at once, and some more each second.
///
/// Twelve simultaneous talkers need at most twelve. A transmitter that sends more valid frames on top of each other
/// exhausts the budget.
struct CancellationBudget {
    static let maximumCount = 24.0
    static let countPerSecond = 8.0

    private let sampleShare: Double
    private var count = maximumCount
    private var countedIndex = 0

    init(basebandRateHertz: Int) {
        sampleShare = CancellationBudget.countPerSecond / Double(basebandRateHertz)
    }

    /// Spends one search at baseband index `index`; false if the budget is exhausted.
    mutating func spend(at index: Int) -> Bool {
        // Long holes move the indices back slightly.
        count += Double(max(index - countedIndex, 0)) * sampleShare
        count = min(count, CancellationBudget.maximumCount)
        countedIndex = index
        guard count >= 1 else { return false }
        count -= 1
        return true
    }
}
