/// How many more searches cancelled frames may cause: so many at once, and some more with every second that goes by.
///
/// Twelve talkers at once need twelve at most. Whoever sends more valid frames on top of each other than people do is not
/// worth more.
struct CancellationBudget {
    static let maximumCount = 24.0
    static let perSecond = 8.0

    private let sampleShare: Double
    private var count = maximumCount
    private var countedIndex = 0

    init(basebandRateHertz: Int) {
        sampleShare = CancellationBudget.perSecond / Double(basebandRateHertz)
    }

    /// Spends one if there is one, at baseband index `index`.
    mutating func spend(at index: Int) -> Bool {
        // The indices go back by a little in long holes.
        count += Double(max(index - countedIndex, 0)) * sampleShare
        count = min(count, CancellationBudget.maximumCount)
        countedIndex = index
        guard count >= 1 else { return false }
        count -= 1
        return true
    }
}
