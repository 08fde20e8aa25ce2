public import EarshotCoding
public import EarshotDiscovery

/// Decides when to talk in sound: a pure state machine. Its inputs are time, the tokens heard and random numbers; its
/// output is the next action.
///
/// A device is half duplex: it cannot hear while it talks. But a receiver decodes several talkers together, so no
/// device waits for the end of another's token. Talkers meet in slots, and all others listen.
///
/// 1. `SlotGrid`: the starts of slots follow from the tokens heard.
/// 2. `CrowdEstimate` estimates the number of devices, n̂, and `TalkAim` how many may talk together, λ: rounds have
///    G = max(3, n̂/λ) slots.
/// 3. `TalkPattern`: a device talks once a round, in slots that repeat every R rounds, a *period*. A repeated miss can
///    be corrected: if a neighbour was heard too rarely in a period, the two patterns are too similar, and one talk
///    moves.
/// 4. A new device listens for a slot, and begins anywhere in a round.
/// 5. A device that knows no other answers the first one that it hears, in the next slot, in which that one listens,
///    instead of later in the round. A device that knows others does not, because all of them would answer together.
/// 6. If there will be sound at the start of a slot, some device has another grid: the talk waits for the next slot,
///    once.
///
/// The share of time on the air is at most one token in G slots, over any period: for `fast` 23 %.
public struct TalkPolicy: Sendable {
    /// The directions in which the device works.
    public let mode: DiscoveryMode
    /// The lengths that make up a slot.
    public let timing: TalkTiming
    /// The aims of the policy.
    public let limits: TalkLimits

    /// The actions and heard tokens of a device in a slot.
    private struct ListenedSlot {
        var isTalking = false
        var heardCount = 0
        /// The same, but a newcomer counts as it is likely to stay: h of `HeardRate`.
        var weight = 0.0
        var busySeconds = 0.0

        mutating func hear(_ weight: Double) {
            heardCount += 1
            self.weight += weight
        }
    }

    /// The slots in which something began.
    private struct Begins {
        var (period, round, pattern) = (0, 0, 0)
        /// The number of neighbours when the round began.
        var knownCount = 0
    }

    private struct Slots {
        /// The next slot to decide.
        var next = 0
        /// The slot before `next`, and the one before that, whose tokens may still be in the decoder.
        var current = ListenedSlot()
        var previous = ListenedSlot()
        var occupiedCount = 0
    }

    private struct Talk {
        var isHeld = false
        /// The slot in which to answer the first neighbour.
        var answerSlot: Int?
        var isDoneThisRound = false
    }

    private var grid: SlotGrid?
    private var crowd = CrowdEstimate()
    private var rate = HeardRate()
    private var aim: TalkAim
    private var repeats = RepeatShare(memory: 64)
    private var neighbours: [Payload: HeardSlots] = [:]
    private var pattern: TalkPattern?
    private var begins = Begins()
    private var slots = Slots()
    private var talk = Talk()

    /// The maximum number of neighbours: an attacker must not fill the memory.
    public static let maximumNeighbourCount = 4_096

    /// The policy of a device that has just begun.
    public init(mode: DiscoveryMode = .both, timing: TalkTiming, limits: TalkLimits = TalkLimits()) {
        self.mode = mode
        self.timing = timing
        self.limits = limits
        aim = TalkAim(limits)
    }

    /// The number of neighbours heard recently.
    public var neighbourCount: Int { neighbours.count }

    /// λ, the number of talkers in a slot that the device aims for now.
    public var talkersPerSlot: Double { aim.talkersPerSlot }

    /// n̂, the estimated number of devices including this one, heard or not; 1 ... 4,096.
    public var crowdCount: Double {
        crowd.count(
            neighbourCount: neighbours.count,
            limit: rate.largestCrowd(roundSlots: pattern?.roundSlots ?? limits.minimumRoundSlots))
    }

    /// The length of a period now, in seconds. A neighbour that was heard reliably in one period and not in the next is
    /// gone.
    public var periodSeconds: Double { Double(periodSlots) * timing.slotSeconds }

    /// The number of seconds after the start of a token for which its talker still counts as present, before `step`
    /// gets that token.
    public func patienceSeconds(ofNext startSeconds: Double, from token: Payload) -> Double {
        let slot = grid?.index(atSeconds: startSeconds) ?? 0
        var heard = neighbours[token] ?? HeardSlots(slot)
        heard.add(slot, ownPeriodSlots: periodSlots, limits: limits)
        // Talks of neighbouring slots begin up to a spread apart, and are decoded within one more slot.
        return Double(patienceSlots(heard) + 1) * timing.slotSeconds
    }

    /// The silent slots after which a neighbour is gone.
    private func patienceSlots(_ heard: HeardSlots) -> Int {
        heard.patienceSlots(ownPeriodSlots: periodSlots, expected: sureness) + Self.moveSlots
    }

    /// Whether a sound other than a token fills the band without a pause. The policy does not wait for its end.
    public var isBandOccupied: Bool { slots.occupiedCount >= Self.occupiedSlots }

    /// Talkers pause between slots; a sound that fills this share of a slot is not a talker.
    private static let occupiedShare = 0.97
    private static let occupiedSlots = 4
    /// How much later a period's only talk may come after it has moved within the shortest rounds, of three slots.
    private static let moveSlots = 2
    /// q̄ before any token was due again.
    private static let firstSureness = 0.9
    /// The probability of a change although every known neighbour is heard often enough.
    private static let unaskedProbability = 0.06

    /// q̄, the probability that a neighbour is heard again a period later, the mean over neighbours; 0 ... 1.
    public var sureness: Double { repeats.share(expected: Self.firstSureness) }

    private var periodSlots: Int { pattern?.periodSlots ?? limits.roundCount * limits.minimumRoundSlots }

    /// Decides what to do now.
    /// - Parameters:
    ///   - nowSeconds: the time; never less than before.
    ///   - heard: the tokens decoded since the last step, without the device's own.
    ///   - band: the state of the band since the last step.
    ///   - generator: draws the random places within rounds and slots.
    public mutating func step(
        nowSeconds: Double, heard: [Heard], band: Band, using generator: inout some RandomNumberGenerator
    ) -> Action {
        var grid = self.grid ?? begin(nowSeconds, &generator)
        for token in heard {
            grid.follow(startSeconds: token.startSeconds)
            take(token, slot: grid.index(atSeconds: token.startSeconds))
        }
        self.grid = grid
        slots.current.busySeconds += band.busySeconds
        // A moved grid may have put the next slot into the past.
        while nowSeconds >= grid.beginSeconds(slots.next + 1) { finishSlot(&generator) }
        guard nowSeconds >= grid.beginSeconds(slots.next) else {
            return .listen(untilSeconds: grid.beginSeconds(slots.next))
        }
        let slot = slots.next
        finishSlot(&generator)
        guard let pattern, mode.contains(.broadcast),
            talk.isHeld || !talk.isDoneThisRound && (slot == talk.answerSlot || pattern.talks(in: slot - begins.period))
        else { return .listen(untilSeconds: grid.beginSeconds(slots.next)) }
        let isRoundBegin = (slot - begins.period) % pattern.roundSlots == 0
        if band.isBusy && !talk.isHeld && !isBandOccupied
            && !pattern.talks(in: (slot + 1 - begins.period) % pattern.periodSlots)
        {
            talk.isHeld = true
            return .listen(untilSeconds: grid.beginSeconds(slots.next))
        }
        // A delayed talk belongs to the previous round.
        talk.isDoneThisRound = !(talk.isHeld && isRoundBegin)
        talk.isHeld = false
        slots.current.isTalking = true
        let offset = timing.spreadSeconds * Double(generator.next() >> 11) * 0x1p-53
        return .talk(atSeconds: max(nowSeconds, grid.beginSeconds(slot) + offset))
    }

    private mutating func begin(_ now: Double, _ generator: inout some RandomNumberGenerator) -> SlotGrid {
        let roundSlots = mode.contains(.scan) ? limits.minimumRoundSlots : limits.deafRoundSlots
        restart(roundSlots: roundSlots, slot: 1, &generator)
        slots.next = 1
        return SlotGrid(timing, originSeconds: now)
    }

    private mutating func take(_ token: Heard, slot: Int) {
        let isNewcomer = neighbours[token.token]?.isNewcomer ?? true
        let weight = isNewcomer ? rate.newcomerShare : 1
        if slot == slots.next - 2 { slots.previous.hear(weight) } else { slots.current.hear(weight) }
        if let latest = neighbours[token.token]?.latest {
            if latest < begins.round { crowd.hear(isKnown: true) }
            if (neighbours[token.token]?.first ?? slot) < begins.round { aim.hear() }
            let period = periodSlots
            neighbours[token.token]?.add(slot, ownPeriodSlots: period, limits: limits)
            if isNewcomer, neighbours[token.token]?.isNewcomer == false { rate.addNewcomer(isStaying: true) }
        } else if neighbours.count < Self.maximumNeighbourCount {
            crowd.hear(isKnown: false)
            neighbours[token.token] = HeardSlots(slot)
            if slot == slots.next - 1 && neighbours.count == 1 { talk.answerSlot = slots.next }
        }
    }

    /// Ends the slot before `slots.next`.
    private mutating func finishSlot(_ generator: inout some RandomNumberGenerator) {
        // Its tokens may still be in the decoder, which has reported those of the previous slot.
        if !slots.previous.isTalking {
            finishListening(slots.previous)
            compare(slots.next - 2)
        }
        (slots.previous, slots.current) = (slots.current, ListenedSlot())
        let slot = slots.next
        slots.next += 1
        forgetSilent(slot)
        guard let roundSlots = pattern?.roundSlots else { return }
        let isRoundOver = (slot - begins.period) % roundSlots == 0
        if isRoundOver {
            aim.finishRound(knownCount: begins.knownCount, roundSlots: roundSlots)
            beginRound(slot)
        }
        let isPeriodOver = slot - begins.period >= periodSlots
        if mode.contains(.scan), let other = betterRoundSlots(than: roundSlots, mayShrink: isPeriodOver) {
            restart(roundSlots: other, slot: slot, &generator)
        } else if isPeriodOver {
            mode.contains(.scan) ? mend(slot, &generator) : restart(roundSlots: roundSlots, slot: slot, &generator)
        }
    }

    private mutating func finishListening(_ slot: ListenedSlot) {
        rate.add(slot.weight)
        let isFull = slot.busySeconds >= Self.occupiedShare * timing.slotSeconds
        slots.occupiedCount = isFull && slot.heardCount == 0 ? slots.occupiedCount + 1 : 0
        let isQuiet = slot.busySeconds < timing.tokenSeconds / 2
        crowd.finishSlot(slot.heardCount > 0 ? .heard : isQuiet ? .quiet : .undecoded(isFull: isFull))
    }

    /// Counts each neighbour heard a period before a slot as heard again in it, or as missed.
    private mutating func compare(_ slot: Int) {
        let period = periodSlots
        var missCounts: [Int] = []
        for token in neighbours.keys {
            guard let missed = neighbours[token]?.finish(slot, ownPeriodSlots: period) else { continue }
            missCounts.append(missed)
        }
        // Sorted, because the order of a dictionary's keys differs from run to run, and the latest repeats have the
        // most weight.
        for missed in missCounts.sorted() { repeats.add(missCount: missed) }
    }

    private mutating func forgetSilent(_ slot: Int) {
        let period = periodSlots
        let silentNewcomerCount = neighbours.values.count {
            $0.isNewcomer && slot - $0.latest == RoundLength.shortestPeriodSlots
        }
        for _ in 0..<silentNewcomerCount { rate.addNewcomer(isStaying: false) }
        let gone = neighbours.filter {
            // A neighbour heard within a period is present, even if it is rarely heard.
            let silent = slot - $0.value.latest
            return silent > period && silent > patienceSlots($0.value)
        }
        for token in gone.keys { neighbours[token] = nil }
    }

    private mutating func beginRound(_ slot: Int) {
        talk.isDoneThisRound = false
        begins.round = slot
        begins.knownCount = neighbours.count
        crowd.beginRound(neighbourCount: neighbours.count)
    }

    private mutating func restart(roundSlots: Int, slot: Int, _ generator: inout some RandomNumberGenerator) {
        let roundCount = RoundLength.roundCount(roundSlots: roundSlots, limits: limits)
        pattern = TalkPattern(roundSlots: roundSlots, roundCount: roundCount, using: &generator)
        begins.period = slot
        begins.pattern = slot
        if begins.round != slot { beginRound(slot) }
    }

    /// A better length of a round, if the present one is clearly too short or too long.
    private func betterRoundSlots(than roundSlots: Int, mayShrink: Bool) -> Int? {
        let wanted = max(Double(limits.minimumRoundSlots), crowdCount / aim.talkersPerSlot)
        let isTooShort = wanted > 1.5 * Double(roundSlots)
        let isTooLong = wanted < 0.5 * Double(roundSlots)
        guard isTooShort || isTooLong || mayShrink && abs(wanted / Double(roundSlots) - 1) > 0.2 else { return nil }
        let other = RoundLength.nearest(wanted, limits: limits)
        return other == roundSlots ? nil : other
    }

    /// Begins a new period, with a changed pattern if a neighbour was not heard often enough in the last two.
    private mutating func mend(_ slot: Int, _ generator: inout some RandomNumberGenerator) {
        guard var pattern else { return }
        var need = PatternNeed(pattern, soughtCount: limits.soughtCount)
        let earliest = max(begins.pattern, begins.period - pattern.periodSlots)
        for neighbour in neighbours.values where neighbour.first <= begins.period {
            need.add(neighbour.slots.filter { (earliest..<slot).contains($0) }.map { $0 - earliest })
        }
        begins.period = slot
        let chance = Double(generator.next() >> 11) * 0x1p-53
        if need.isCalledFor {
            guard chance < limits.changeProbability else { return }
        } else {
            // A neighbour that was never heard cannot show that a change is needed.
            guard chance < Self.unaskedProbability else { return }
            need.gains = need.gains.map { _ in 1 }
        }
        pattern.change(need, using: &generator)
        self.pattern = pattern
    }
}
