/// The number of tokens that this device hears in a slot, and the largest crowd that could be so quiet.
///
///     ρ ← ρ + (h − ρ)/min(k, 16) after the k-th slot, with h tokens,   n ≤ 5 + 3·ρ·G
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
    private var slotCount = 0.0
    private static let memorySlots = 16.0
    private static let devicesPerToken = 3.0
    private static let smallCrowd = 5.0

    /// Adds a slot in which this device listened.
    mutating func add(tokenCount: Int) {
        slotCount = min(slotCount + 1, Self.memorySlots)
        tokensPerSlot += (Double(tokenCount) - tokensPerSlot) / slotCount
    }

    /// The largest n, for rounds of G slots.
    func largestCrowd(roundSlots: Int) -> Double {
        Self.smallCrowd + Self.devicesPerToken * tokensPerSlot * Double(roundSlots)
    }
}
