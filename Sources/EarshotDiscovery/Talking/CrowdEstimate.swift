/// How many there are, heard or not.
///
///     n̂ = max(1 + m, f·(1 + m₀), b)
///
/// 1. 1 + m: this device, and neighbours that were heard of late.
/// 2. Recapture: of c tokens heard in this round r were of the m₀ that were known when it began. Whoever was not known is as
///    likely to be heard as whoever was, so that there are f = (c + 8)/(r + 8) times as many. Both counts are halved round by round.
/// 3. b: a crowd that talks all at once is not decoded, only felt. b doubles with each busy slot that brought nothing, from the
///    second in a row on, and falls by an eighth with each slot in which nobody talked.
///
/// What fills slots to their ends may be such a crowd, whose devices could not agree on slots. Where it still does after b has
/// become as large as it can, it is something else that no silence of ours makes any better: b = 1 until it pauses.
struct CrowdEstimate: Sendable {
    /// However much it may sound like more.
    static let largest = 4_096.0
    /// What a listener made of a slot.
    enum Slot: Sendable, Equatable {
        case heard, quiet
        /// Busy, and nothing was decoded; full where it was so from end to end.
        case vain(isFull: Bool)
    }

    /// b.
    private var felt = 1.0
    private var vainSlotCount = 0
    private var fullAtLargestCount = 0
    private var isInterferer = false
    /// m₀, c, r.
    private var knownCount = 0
    private var heardCount = 0.0
    private var againCount = 0.0

    /// So many known ones are added, lest two or three tokens make a crowd.
    private static let caution = 8.0
    private static let leastFelt = 4.0
    /// So many slots that are full although everybody has fallen silent.
    private static let patienceSlots = 4

    /// n̂.
    func count(neighbourCount: Int) -> Double {
        let recaptured = Double(1 + knownCount) * (heardCount + Self.caution) / (againCount + Self.caution)
        return min(Self.largest, max(Double(1 + neighbourCount), recaptured, felt))
    }

    /// Another round begins.
    mutating func beginRound(neighbourCount: Int) {
        knownCount = neighbourCount
        heardCount /= 2
        againCount /= 2
    }

    /// A neighbour was heard for the first time in this round.
    mutating func hear(isKnown: Bool) {
        guard knownCount > 0 else { return }
        heardCount += 1
        if isKnown { againCount += 1 }
    }

    /// A slot in which this device listened is over.
    mutating func finishSlot(_ slot: Slot) {
        if slot != .vain(isFull: true) { isInterferer = false }
        guard case .vain(let isFull) = slot, !isInterferer else {
            vainSlotCount = 0
            if slot == .quiet { felt -= (felt - 1) / 8 }
            return
        }
        vainSlotCount += 1
        guard vainSlotCount >= 2 else { return }
        fullAtLargestCount = isFull && felt == Self.largest ? fullAtLargestCount + 1 : 0
        felt = min(2 * max(felt, Self.leastFelt), Self.largest)
        if fullAtLargestCount == Self.patienceSlots {
            isInterferer = true
            (felt, fullAtLargestCount) = (1, 0)
        }
    }
}
