/// The estimated number of devices, heard or not.
///
///     n̂ = max(min(max(1 + m, f·(1 + m₀)), limit), b)
///
/// 1. 1 + m: this device and the neighbours heard recently.
/// 2. Recapture: of the c tokens heard in this round, r came from the m₀ devices that were known when the round began. A known
///    and an unknown device are equally likely to be heard, so there are f = (c + 8)/(r + 8) times as many devices. Each new
///    round halves both counts.
/// 3. b: if a whole crowd talks at once, the receiver decodes no token, but the band is busy. b doubles with each busy
///    slot without a token, from the second in a row on, and falls by an eighth with each slot without a talker.
/// 4. limit: how many devices could be as quiet as the tokens that are heard (`HeardRate`).
///
/// Sound that fills whole slots may be such a crowd, whose devices could not agree on slots. If it continues after b
/// has reached its maximum, it is interference, which this device's silence cannot end: b = 1 until it pauses.
struct CrowdEstimate: Sendable {
    /// The maximum estimate, for crowds of any apparent size.
    static let maximum = 4_096.0
    /// The result of listening to a slot.
    enum Slot: Sendable, Equatable {
        case heard, quiet
        /// Busy, but no token was decoded. Full: busy from end to end.
        case undecoded(isFull: Bool)
    }

    /// b, 1 ... `maximum`.
    private var busyEstimate = 1.0
    private var undecodedSlotCount = 0
    private var fullAtMaximumCount = 0
    private var isInterferer = false
    /// m₀, c, r.
    private var knownCount = 0
    private var heardCount = 0.0
    private var againCount = 0.0

    /// Known devices added to both counts, so that two or three tokens do not count as a crowd.
    private static let caution = 8.0
    private static let minimumBusyEstimate = 4.0
    /// The number of full slots at the maximum estimate, when every device is silent, after which the sound counts as
    /// interference.
    private static let patienceSlots = 4

    /// n̂, 1 ... `maximum`.
    func count(neighbourCount: Int, limit: Double = maximum) -> Double {
        let recaptured = Double(1 + knownCount) * (heardCount + Self.caution) / (againCount + Self.caution)
        return min(Self.maximum, max(min(max(Double(1 + neighbourCount), recaptured), limit), busyEstimate))
    }

    /// Begins another round.
    mutating func beginRound(neighbourCount: Int) {
        knownCount = neighbourCount
        heardCount /= 2
        againCount /= 2
    }

    /// Counts a neighbour that was heard for the first time in this round.
    mutating func hear(isKnown: Bool) {
        guard knownCount > 0 else { return }
        heardCount += 1
        if isKnown { againCount += 1 }
    }

    /// Adds the result of a slot in which this device listened.
    mutating func finishSlot(_ slot: Slot) {
        if slot != .undecoded(isFull: true) { isInterferer = false }
        guard case .undecoded(let isFull) = slot, !isInterferer else {
            undecodedSlotCount = 0
            if slot == .quiet { busyEstimate -= (busyEstimate - 1) / 8 }
            return
        }
        undecodedSlotCount += 1
        guard undecodedSlotCount >= 2 else { return }
        fullAtMaximumCount = isFull && busyEstimate == Self.maximum ? fullAtMaximumCount + 1 : 0
        busyEstimate = min(2 * max(busyEstimate, Self.minimumBusyEstimate), Self.maximum)
        if fullAtMaximumCount == Self.patienceSlots {
            isInterferer = true
            (busyEstimate, fullAtMaximumCount) = (1, 0)
        }
    }
}
