public import EarshotCoding

/// When to talk in sound: a pure state machine. Time, what was heard and chance go in, what to do comes out.
///
/// Half duplex: who talks hears nothing. But several talkers are decoded together, so nobody waits for anybody's end.
/// Talkers meet in slots, and all others listen.
///
/// 1. `SlotGrid`: where slots begin follows from what is heard.
/// 2. `CrowdEstimate` says how many there are, n̂, and `TalkAim` how many may talk together, λ: rounds have G = max(3, n̂/λ) slots.
/// 3. `TalkPattern`: a device talks once a round, in slots that repeat every R rounds, a *period*. What repeats can be
///    mended: where a neighbour was heard too rarely in a period, their patterns are too much alike, and one talk moves.
/// 4. A new device listens for a slot, and begins anywhere in a round.
/// 5. Who hears a newcomer while there are few answers in the next slot, in which the newcomer listens, instead of later in
///    the round.
/// 6. Where something sounds at a slot's begin, somebody keeps another grid: the talk waits for the next slot, once.
///
/// The share of time on the air is at most one token in G slots, over any period: for `fast` 20 %.
public struct TalkPolicy: Sendable {
    /// What the device does beside listening to its schedule.
    public let mode: DiscoveryMode
    /// The lengths of slots.
    public let timing: TalkTiming
    /// What is aimed at.
    public let limits: TalkLimits

    private var grid: SlotGrid?
    private var crowd = CrowdEstimate()
    private var aim: TalkAim
    private var repeats = RepeatShare(memory: 64)
    private var neighbours: [Payload: HeardSlots] = [:]
    private var pattern: TalkPattern?
    private var periodBegin = 0
    private var roundBegin = 0
    private var patternBegin = 0
    /// How many neighbours there were when the round began.
    private var knownCount = 0
    /// The slot that is decided next.
    private var nextSlot = 0
    private var slotHeardCount = 0
    private var slotBusySeconds = 0.0
    private var occupiedSlotCount = 0
    private var isTalking = false
    private var wasTalking = false
    private var isHeld = false
    /// Whether a newcomer was heard that is listening in the next slot.
    private var isAnswering = false
    private var hasTalkedThisRound = false

    /// More neighbours than that are not kept apart: an attacker must not fill the memory.
    public static let largestNeighbourCount = 4_096

    /// The policy of a device that has just begun.
    public init(mode: DiscoveryMode = .both, timing: TalkTiming, limits: TalkLimits = TalkLimits()) {
        self.mode = mode
        self.timing = timing
        self.limits = limits
        aim = TalkAim(limits)
    }

    /// How many neighbours there are, by what was heard of late.
    public var neighbourCount: Int { neighbours.count }

    /// How many talkers a slot are aimed at now.
    public var talkersPerSlot: Double { aim.talkersPerSlot }

    /// How many there are, this device with them, heard or not.
    public var crowdCount: Double { crowd.count(neighbourCount: neighbours.count) }

    /// How long a period is now: whoever is heard surely in one and not at all in the next is gone.
    public var periodSeconds: Double { Double(periodSlots) * timing.slotSeconds }

    /// How long after a token began its talker still counts as there, before `step` is told of that token.
    public func patienceSeconds(ofNext startSeconds: Double, from token: Payload) -> Double {
        let slot = grid?.index(atSeconds: startSeconds) ?? 0
        var heard = neighbours[token] ?? HeardSlots(slot)
        heard.add(slot, ownPeriodSlots: periodSlots, limits: limits)
        // Talks of neighbouring slots begin up to a spread apart, and are decoded within another slot.
        return Double(heard.patienceSlots(ownPeriodSlots: periodSlots, expected: sureness) + 1) * timing.slotSeconds
    }

    /// Whether something sounds without a pause that is no token. Nobody waits for its end.
    public var isBandOccupied: Bool { occupiedSlotCount >= Self.occupiedSlots }

    /// Talkers pause between slots; what fills so much of a slot is something else.
    private static let occupiedShare = 0.97
    private static let occupiedSlots = 4
    /// How surely tokens are heard again, before any were.
    private static let firstSureness = 0.9
    /// Of a change where all are heard who are known.
    private static let unaskedProbability = 0.06

    /// How surely whoever was heard is heard again a period later, on the average.
    public var sureness: Double { repeats.share(expected: Self.firstSureness) }

    private var periodSlots: Int { pattern?.periodSlots ?? limits.roundCount * limits.leastRoundSlots }

    /// What to do now.
    /// - Parameters:
    ///   - nowSeconds: never less than before.
    ///   - heard: tokens that were decoded since the last step, own ones left out.
    public mutating func step(
        nowSeconds: Double, heard: [Heard], band: Band, using generator: inout some RandomNumberGenerator
    ) -> Action {
        var grid = self.grid ?? begin(nowSeconds, &generator)
        for token in heard {
            grid.follow(startSeconds: token.startSeconds)
            take(token, slot: grid.index(atSeconds: token.startSeconds))
        }
        self.grid = grid
        slotBusySeconds += band.busySeconds
        // A moved grid may have put the next slot into the past.
        while nowSeconds >= grid.beginSeconds(nextSlot + 1) { finishSlot(&generator) }
        guard nowSeconds >= grid.beginSeconds(nextSlot) else {
            return .listen(untilSeconds: grid.beginSeconds(nextSlot))
        }
        let slot = nextSlot
        finishSlot(&generator)
        let answers = isAnswering
        isAnswering = false
        guard let pattern, mode.contains(.broadcast),
            isHeld || !hasTalkedThisRound && (answers || pattern.talks(in: slot - periodBegin))
        else { return .listen(untilSeconds: grid.beginSeconds(nextSlot)) }
        let isRoundBegin = (slot - periodBegin) % pattern.roundSlots == 0
        if band.isBusy && !isHeld && !isBandOccupied
            && !pattern.talks(in: (slot + 1 - periodBegin) % pattern.periodSlots)
        {
            isHeld = true
            return .listen(untilSeconds: grid.beginSeconds(nextSlot))
        }
        // A talk that was held back belongs to the round before.
        hasTalkedThisRound = !(isHeld && isRoundBegin)
        isHeld = false
        isTalking = true
        let offset = timing.spreadSeconds * Double(generator.next() >> 11) * 0x1p-53
        return .talk(atSeconds: max(nowSeconds, grid.beginSeconds(slot) + offset))
    }

    private mutating func begin(_ now: Double, _ generator: inout some RandomNumberGenerator) -> SlotGrid {
        restart(roundSlots: mode.contains(.scan) ? limits.leastRoundSlots : limits.deafRoundSlots, slot: 1, &generator)
        nextSlot = 1
        return SlotGrid(timing, originSeconds: now)
    }

    private mutating func take(_ token: Heard, slot: Int) {
        slotHeardCount += 1
        if let latest = neighbours[token.token]?.latest {
            if latest < roundBegin { crowd.hear(isKnown: true) }
            if (neighbours[token.token]?.first ?? slot) < roundBegin { aim.hear() }
            let period = periodSlots
            neighbours[token.token]?.add(slot, ownPeriodSlots: period, limits: limits)
        } else if neighbours.count < Self.largestNeighbourCount {
            crowd.hear(isKnown: false)
            neighbours[token.token] = HeardSlots(slot)
            if slot == nextSlot - 1 && Double(neighbours.count) <= aim.talkersPerSlot { isAnswering = true }
        }
    }

    /// The slot before `nextSlot` is over.
    private mutating func finishSlot(_ generator: inout some RandomNumberGenerator) {
        if !isTalking { finishListening() }
        // Its tokens may still be in the decoder; those of the slot before are not.
        if !wasTalking { compare(nextSlot - 2) }
        (slotHeardCount, slotBusySeconds, wasTalking, isTalking) = (0, 0, isTalking, false)
        let slot = nextSlot
        nextSlot += 1
        forgetSilent(slot)
        guard let roundSlots = pattern?.roundSlots else { return }
        let isRoundOver = (slot - periodBegin) % roundSlots == 0
        if isRoundOver {
            aim.finishRound(knownCount: knownCount, roundSlots: roundSlots)
            beginRound(slot)
        }
        let isPeriodOver = slot - periodBegin >= periodSlots
        if mode.contains(.scan), let other = betterRoundSlots(than: roundSlots, mayShrink: isPeriodOver) {
            restart(roundSlots: other, slot: slot, &generator)
        } else if isPeriodOver {
            mode.contains(.scan) ? mend(slot, &generator) : restart(roundSlots: roundSlots, slot: slot, &generator)
        }
    }

    private mutating func finishListening() {
        let isFull = slotBusySeconds >= Self.occupiedShare * timing.slotSeconds
        occupiedSlotCount = isFull && slotHeardCount == 0 ? occupiedSlotCount + 1 : 0
        let isQuiet = slotBusySeconds < timing.tokenSeconds / 2
        crowd.finishSlot(slotHeardCount > 0 ? .heard : isQuiet ? .quiet : .vain(isFull: isFull))
    }

    /// Who was heard a period before a slot: again in it, or not?
    private mutating func compare(_ slot: Int) {
        let period = periodSlots
        for token in neighbours.keys {
            guard let missed = neighbours[token]?.finish(slot, ownPeriodSlots: period) else { continue }
            repeats.add(missCount: missed)
        }
    }

    private mutating func forgetSilent(_ slot: Int) {
        let (period, sureness) = (periodSlots, sureness)
        neighbours = neighbours.filter {
            // Whoever was heard within a period is there, however surely.
            slot - $0.value.latest <= period
                || slot - $0.value.latest <= $0.value.patienceSlots(ownPeriodSlots: period, expected: sureness)
        }
    }

    private mutating func beginRound(_ slot: Int) {
        hasTalkedThisRound = false
        roundBegin = slot
        knownCount = neighbours.count
        crowd.beginRound(neighbourCount: neighbours.count)
    }

    private mutating func restart(roundSlots: Int, slot: Int, _ generator: inout some RandomNumberGenerator) {
        let roundCount = RoundLength.roundCount(roundSlots: roundSlots, limits: limits)
        pattern = TalkPattern(roundSlots: roundSlots, roundCount: roundCount, using: &generator)
        periodBegin = slot
        patternBegin = slot
        if roundBegin != slot { beginRound(slot) }
    }

    /// How long rounds are to be from now on, where they are clearly too short or too long.
    private func betterRoundSlots(than roundSlots: Int, mayShrink: Bool) -> Int? {
        let wanted = max(Double(limits.leastRoundSlots), crowdCount / aim.talkersPerSlot)
        let isTooShort = wanted > 1.5 * Double(roundSlots)
        let isTooLong = wanted < 0.5 * Double(roundSlots)
        guard isTooShort || isTooLong || mayShrink && abs(wanted / Double(roundSlots) - 1) > 0.2 else { return nil }
        let other = RoundLength.nearest(wanted, limits: limits)
        return other == roundSlots ? nil : other
    }

    /// Begins another period, with another pattern where somebody was not heard often enough in the last two.
    private mutating func mend(_ slot: Int, _ generator: inout some RandomNumberGenerator) {
        guard var pattern else { return }
        var need = PatternNeed(pattern, soughtCount: limits.soughtCount)
        let earliest = max(patternBegin, periodBegin - pattern.periodSlots)
        for neighbour in neighbours.values where neighbour.first <= periodBegin {
            need.add(neighbour.slots.filter { (earliest..<slot).contains($0) }.map { $0 - earliest })
        }
        periodBegin = slot
        let chance = Double(generator.next() >> 11) * 0x1p-53
        if need.isCalledFor {
            guard chance < limits.changeProbability else { return }
        } else {
            // Whoever was never heard cannot ask for it.
            guard chance < Self.unaskedProbability else { return }
            need.gains = need.gains.map { _ in 1 }
        }
        pattern.change(need, using: &generator)
        self.pattern = pattern
    }
}
