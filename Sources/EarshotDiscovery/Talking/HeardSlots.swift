/// In which slots a neighbour was heard of late.
struct HeardSlots: Sendable {
    /// Memory has to end somewhere; more than a period's talks of any pattern.
    private static let largestCount = 16
    /// So many of a neighbour's own intervals may pass in silence.
    private static let patienceIntervals = 3

    /// The first of all.
    let first: Int
    /// The latest last.
    private(set) var slots: [Int]

    init(_ slot: Int) {
        first = slot
        slots = [slot]
    }

    mutating func add(_ slot: Int) {
        guard slot > latest else { return }
        slots.append(slot)
        if slots.count > Self.largestCount { slots.removeFirst() }
    }

    var latest: Int { slots[slots.count - 1] }

    /// After how many silent slots it is gone: a period, or three of the intervals at which it was heard.
    ///
    ///     s = P·max(1, 3/h),   h = times heard in the period up to the latest
    ///
    /// - Parameter periodSlots: P.
    func patienceSlots(periodSlots: Int) -> Int {
        let heardCount = slots.count { latest - $0 < periodSlots }
        return max(periodSlots, Self.patienceIntervals * periodSlots / heardCount)
    }
}
