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
    private static let sureShare = 0.9
    private static let doubt = 2.0
    private static let leastShare = 0.05
    private static let clearlyMore = 1

    /// The first of all.
    let first: Int
    /// The latest last.
    private(set) var slots: [Int]
    private var repeats = RepeatShare(memory: 12)
    /// Misses since it was heard last: whoever has left does not count as missed.
    private var missCount = 0
    /// What its period is, where it differs from this device's.
    private var otherPeriodSlots: Int?

    init(_ slot: Int) {
        first = slot
        slots = [slot]
    }

    var latest: Int { slots[slots.count - 1] }

    /// P, as its repeats tell.
    func periodSlots(own: Int) -> Int { otherPeriodSlots ?? own }

    /// It was heard. Its period is the one after which most of its talks come again: the own one, unless another explains clearly
    /// more. Two talks of one period may lie as far apart as another period is long, so one repeat says nothing.
    mutating func add(_ slot: Int, ownPeriodSlots: Int, limits: TalkLimits) {
        guard slot > latest else { return }
        slots.append(slot)
        if slots.count > Self.largestCount { slots.removeFirst() }
        var best = periodSlots(own: ownPeriodSlots)
        var bestCount = repeatCount(best) + Self.clearlyMore
        for period in RoundLength.periods(around: ownPeriodSlots, limits: limits) {
            let count = repeatCount(period)
            if count > bestCount { (best, bestCount) = (period, count) }
        }
        otherPeriodSlots = best == ownPeriodSlots ? nil : best
    }

    /// How many of its talks came a period after another.
    private func repeatCount(_ period: Int) -> Int { slots.count { slots.contains($0 - period) } }

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
    ///     s = max(15, P)·min(4, max(1, m·q'/h)),   q' = q − 2·max(0, 0.9 − q̄),   h = times heard in a period
    ///
    /// In the slots in which it talks and this device listens it is heard with probability q. There are h/q of them in a
    /// period, and m are needed. Where repeats of all neighbours are missed often, q̄ < 0.9, those that were heard before are the
    /// easier ones, and q says too much. Whoever is new has no repeats yet: s = 4·P.
    ///
    /// - Parameter expected: q̄.
    func patienceSlots(ownPeriodSlots: Int, expected: Double) -> Int {
        let period = periodSlots(own: ownPeriodSlots)
        let age = latest - first
        let known = min(max(age + 1, period), Self.countedPeriods * period)
        let heardCount = slots.count { latest - $0 < known }
        let perPeriod = Double(heardCount * period) / Double(known)
        let doubt = Self.doubt * max(0, Self.sureShare - expected)
        let share = max(Self.leastShare, repeats.share(expected: expected) - doubt)
        let misses = Double(RepeatShare.missCount(share: share, risk: Self.risk))
        let periodCount = age < period ? Self.largestPeriodCount : max(1, misses * share / perPeriod)
        let slotCount = Double(max(RoundLength.shortestPeriodSlots, period)) * min(periodCount, Self.largestPeriodCount)
        return Int(slotCount.rounded(.up))
    }
}
