/// In which slots a neighbour was heard of late, how long its period is, and how surely it is heard again.
struct HeardSlots: Sendable {
    /// Memory has to end somewhere; three periods' talks of the shortest pattern, and more.
    private static let largestCount = 16
    /// Over so many periods talks are counted.
    private static let countedPeriods = 3
    /// How often chance may take one for gone who is there, each time it has talked.
    private static let risk = 0.002
    /// However little is heard: so many periods.
    private static let largestPeriodCount = 4.0

    /// The first of all.
    let first: Int
    /// The latest last.
    private(set) var slots: [Int]
    private var repeats = RepeatShare(memory: 12)
    /// Misses since it was heard last: whoever has left does not count as missed.
    private var missCount = 0
    /// What its period is, where it differs from this device's.
    private var otherPeriodSlots: Int?
    private var suspectedPeriodSlots = 0

    init(_ slot: Int) {
        first = slot
        slots = [slot]
    }

    var latest: Int { slots[slots.count - 1] }

    /// P, as its repeats tell.
    func periodSlots(own: Int) -> Int { otherPeriodSlots ?? own }

    /// It was heard. What comes a period after what came before says how long its period is.
    mutating func add(_ slot: Int, ownPeriodSlots: Int = 0) {
        guard slot > latest else { return }
        if slots.contains(slot - periodSlots(own: ownPeriodSlots)) {
            suspectedPeriodSlots = 0
        } else if let period = RoundLength.periods(around: ownPeriodSlots).first(where: { slots.contains(slot - $0) }) {
            if period == suspectedPeriodSlots { otherPeriodSlots = period == ownPeriodSlots ? nil : period }
            suspectedPeriodSlots = period
        }
        slots.append(slot)
        if slots.count > Self.largestCount { slots.removeFirst() }
    }

    /// A slot in which this device listened is over, and so is decoding.
    /// - Returns: how many repeats were missed since the last that came, where another came.
    mutating func finish(_ slot: Int, ownPeriodSlots: Int) -> Int? {
        guard slots.contains(slot - periodSlots(own: ownPeriodSlots)) else { return nil }
        guard slots.contains(slot) else {
            missCount += 1
            return nil
        }
        let missed = missCount
        missCount = 0
        repeats.add(missCount: missed)
        return missed
    }

    /// After how many silent slots it is gone: a period, or as long as it takes to talk so often that chance is none.
    ///
    ///     s = P·min(4, max(1, m·q/h)),   h = times heard in a period
    ///
    /// In the slots in which it talks and this device listens it is heard with probability q. There are h/q of them in a
    /// period, and m are needed.
    ///
    /// - Parameter expected: q of all neighbours.
    func patienceSlots(ownPeriodSlots: Int, expected: Double) -> Int {
        let period = periodSlots(own: ownPeriodSlots)
        let share = repeats.share(expected: expected)
        let known = min(max(latest - first + 1, period), Self.countedPeriods * period)
        let heardCount = slots.count { latest - $0 < known }
        let perPeriod = Double(heardCount * period) / Double(known)
        let misses = Double(RepeatShare.missCount(share: share, risk: Self.risk))
        let periodCount = min(max(1, misses * share / perPeriod), Self.largestPeriodCount)
        return Int((Double(period) * periodCount).rounded(.up))
    }
}
