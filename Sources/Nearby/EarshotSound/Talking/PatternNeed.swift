/// The costs and gains of moving a talk, from how often neighbours are heard in a period.
struct PatternNeed: Sendable {
    private let pattern: TalkPattern
    private let soughtCount: Int
    /// For each slot of a period, the number of neighbours that are heard there and hardly elsewhere; shape
    /// [periodSlots].
    private(set) var costs: [Int]
    /// For each round, the number of neighbours that are heard too rarely and not in that round: they probably talk at
    /// the same time as this device; shape [rounds].
    var gains: [Int]

    /// - Parameter soughtCount: how often each neighbour should be heard in a period; at most the number of rounds
    ///   minus one, because a neighbour cannot be heard in a round in which it is missed.
    init(_ pattern: TalkPattern, soughtCount: Int) {
        self.pattern = pattern
        self.soughtCount = min(soughtCount, pattern.positions.count - 1)
        costs = [Int](repeating: 0, count: pattern.periodSlots)
        gains = [Int](repeating: 0, count: pattern.positions.count)
    }

    /// Whether any neighbour is heard too rarely.
    var isCalledFor: Bool { gains.contains { $0 > 0 } }

    /// Adds a neighbour that was heard in these slots, counted from the start of a period, over one or several periods.
    mutating func add(_ slots: [Int]) {
        let heard = Set(slots.map { $0 % pattern.periodSlots }).filter { !pattern.talks(in: $0) }
        guard heard.count <= soughtCount else { return }
        for slot in heard { costs[slot] += 1 }
        guard heard.count < soughtCount else { return }
        for round in gains.indices where !heard.contains(where: { $0 / pattern.roundSlots == round }) {
            gains[round] += 1
        }
    }
}
