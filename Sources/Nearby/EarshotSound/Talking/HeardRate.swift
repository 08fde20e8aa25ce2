/// The number of tokens that this device hears in a slot, and the largest crowd that could be so quiet.
///
///     ρ ← ρ + (h − ρ)/min(k, 16)          after the k-th slot; h: tokens of known neighbours, and u for each of a newcomer
///     u ← u + (x − u)/16                  x = 1 for a newcomer that is heard again, 0 for one that is not within 15 slots; u = 1 at first
///     n ≤ 5 + 3·ρ·G
///
/// Each device of a crowd talks once in about G slots, so ρ·G tokens come from q·(n − 1) devices: n ≤ 1 + ρ·G/q, where q is the share that
/// this device decodes. Small rooms, where it is lowest, have q ≥ 0.5 at the fewest talkers in a slot; 3 stands for a third, and 5 for
/// what chance does to a few tokens.
///
/// Without this limit, devices that pass by and are heard once count as present for four periods, and periods become longer with the count:
/// from one passer in eight slots on, both would grow to their maximum, and this device would almost cease to talk.
struct HeardRate: Sendable {
    /// ρ.
    private(set) var tokensPerSlot = 0.0
    /// u, how likely a device that was heard once is heard again; 0 ... 1.
    private(set) var newcomerShare = 1.0
    private var slotCount = 0.0
    /// h of the slot that is not over, and of the one before, whose tokens may still be in the decoder.
    private var current = 0.0
    private var previous = 0.0
    private static let memory = 16.0
    private static let devicesPerToken = 3.0
    private static let smallCrowd = 5.0

    /// Adds a token.
    mutating func hear(isNewcomer: Bool, isInPreviousSlot: Bool) {
        let weight = isNewcomer ? newcomerShare : 1
        if isInPreviousSlot { previous += weight } else { current += weight }
    }

    /// Counts a newcomer that was heard again, or was not within 15 slots. One that is heard again later counts in both ways: in rounds of 25
    /// slots that are most, and u is about 0.6, enough for the limit.
    mutating func addNewcomer(isHeardAgain: Bool) {
        newcomerShare += ((isHeardAgain ? 1 : 0) - newcomerShare) / Self.memory
    }

    /// Ends the previous slot, and begins another.
    /// - Parameter isListening: whether this device listened in the previous slot.
    mutating func finishSlot(isListening: Bool) {
        if isListening {
            slotCount = min(slotCount + 1, Self.memory)
            tokensPerSlot += (previous - tokensPerSlot) / slotCount
        }
        (previous, current) = (current, 0)
    }

    /// The largest n, for rounds of G slots.
    func largestCrowd(roundSlots: Int) -> Double {
        Self.smallCrowd + Self.devicesPerToken * tokensPerSlot * Double(roundSlots)
    }
}
