/// The slots in which a neighbour was heard recently, the length of its period, and how likely it is heard again.
struct HeardSlots: Sendable {
    /// The maximum number of stored slots: more than the talks of three periods of the shortest pattern.
    private static let maximumCount = 16
    /// The periods over which talks are counted.
    private static let countedPeriods = 3
    /// The probability, at each talk, that chance makes a present neighbour seem gone.
    private static let risk = 0.002
    /// The maximum patience in periods, even for a rarely heard neighbour.
    private static let maximumPeriodCount = 4.0
    /// Half a token: the uncertainty of the count of a single period.
    private static let latelyMargin = 0.5
    private static let sureShare = 0.9
    private static let doubt = 2.0
    private static let minimumShare = 0.05
    private static let clearlyMore = 1

    /// The first slot in which it was heard.
    let first: Int
    /// The recent slots, the latest last.
    private(set) var slots: [Int]
    private var repeats = RepeatShare(memory: 12)
    /// Misses since it was heard last. They count once it is heard again, so a neighbour that has left does not count.
    private var missCount = 0
    /// Its period in slots, if it differs from this device's.
    private var otherPeriodSlots: Int?

    init(_ slot: Int) {
        first = slot
        slots = [slot]
    }

    var latest: Int { slots[slots.count - 1] }

    /// Whether it was heard over less than 15 slots, so it may be passing by.
    var isNewcomer: Bool { latest - first < RoundLength.shortestPeriodSlots }

    /// P, the length of its period, learned from its repeats.
    func periodSlots(own: Int) -> Int { otherPeriodSlots ?? own }

    /// Adds a slot in which it was heard. Its period is the one after which most of its talks repeat: this device's
    /// own, unless another explains clearly more of them. Two talks of one period may be as far apart as another period
    /// is long, so one repeat proves nothing.
    mutating func add(_ slot: Int, ownPeriodSlots: Int, limits: TalkLimits) {
        guard slot > latest else { return }
        slots.append(slot)
        if slots.count > Self.maximumCount { slots.removeFirst() }
        var best = periodSlots(own: ownPeriodSlots)
        var bestCount = repeatCount(best) + Self.clearlyMore
        for period in RoundLength.periods(around: ownPeriodSlots, limits: limits) {
            let count = repeatCount(period)
            if count > bestCount { (best, bestCount) = (period, count) }
        }
        otherPeriodSlots = best == ownPeriodSlots ? nil : best
    }

    /// The number of its talks that came a period after another.
    private func repeatCount(_ period: Int) -> Int { slots.count { slots.contains($0 - period) } }

    /// Ends a slot in which this device listened, after its tokens were decoded.
    /// - Returns: how many repeats were missed before the one in this slot; nil without a repeat.
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

    /// h, how often it is heard in a period: over the last three periods, or over the last one if it was heard less
    /// often recently.
    private func heardPerPeriod(_ period: Int) -> Double {
        let age = latest - first
        let known = Self.countedPeriods * period
        let heardCount = slots.count { latest - $0 < known }
        // The first token of a shorter time counts as its start, not as a repeat: two tokens a period apart count as
        // one a period.
        let mean =
            age < known
            ? Double((heardCount - 1) * period) / Double(max(1, age)) : Double(heardCount) / Double(Self.countedPeriods)
        let lately = slots.count { latest - $0 < period }
        return min(mean, Double(lately) + Self.latelyMargin)
    }

    /// The number of silent slots after which it is gone: a period, or the time of enough talks that chance cannot miss
    /// them all.
    ///
    ///     s = max(15, P)·min(4, max(1, m·q'/h)),   q' = q − 2·max(0, 0.9 − q̄),   h = times heard in a period
    ///
    /// In the slots in which it talks and this device listens it is heard with probability q. A period has h/q such
    /// slots, and m are needed. If the repeats of all neighbours are missed often, q̄ < 0.9, those already heard are
    /// the easier ones, and q is too high. A new neighbour has no repeats yet: s = 4·P.
    ///
    /// - Parameter expected: q̄, 0 ... 1.
    func patienceSlots(ownPeriodSlots: Int, expected: Double) -> Int {
        let period = periodSlots(own: ownPeriodSlots)
        let age = latest - first
        let perPeriod = heardPerPeriod(period)
        let doubt = Self.doubt * max(0, Self.sureShare - expected)
        let share = max(Self.minimumShare, repeats.share(expected: expected) - doubt)
        let misses = Double(RepeatShare.missCount(share: share, risk: Self.risk))
        let periodCount = age < period ? Self.maximumPeriodCount : max(1, misses * share / perPeriod)
        let slotCount = Double(max(RoundLength.shortestPeriodSlots, period)) * min(periodCount, Self.maximumPeriodCount)
        return Int(slotCount.rounded(.up))
    }
}
