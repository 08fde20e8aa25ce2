/// The number of tokens that this device hears in a slot from devices that stay, and the largest crowd that could be so quiet.
///
///     ρ ← ρ + (h − ρ)/min(k, 16)          after the k-th slot; h: its tokens, those of newcomers times u
///     u ← u + (x − u)/16                  x = 1 for a newcomer that stays, 0 for one that is silent for 15 slots; u = 1 at first
///     n ≤ 5 + 3·ρ·G
///
/// Each device of a crowd talks once in about G slots, so ρ·G tokens come from q·(n − 1) devices: n ≤ 1 + ρ·G/q, where q is the share that
/// this device decodes. Small rooms, where it is lowest, have q ≥ 0.5 at the fewest talkers in a slot; 3 stands for a third, and 5 for
/// what chance does to a few tokens.
///
/// A newcomer was heard over less than 15 slots. Without this limit, devices that pass by count as present for four periods, and periods
/// become longer with the count: from one passer in eight slots on, both would grow to their maximum, and this device would almost cease
/// to talk.
struct HeardRate: Sendable {
    /// ρ.
    private(set) var tokensPerSlot = 0.0
    /// u, the share of newcomers that stay; 0 ... 1.
    private(set) var newcomerShare = 1.0
    private var slotCount = 0.0
    private static let memory = 16.0
    private static let devicesPerToken = 3.0
    private static let smallCrowd = 5.0

    /// Adds a slot in which this device listened.
    /// - Parameter weight: h.
    mutating func add(_ weight: Double) {
        slotCount = min(slotCount + 1, Self.memory)
        tokensPerSlot += (weight - tokensPerSlot) / slotCount
    }

    /// Counts a newcomer that is heard for 15 slots, or is silent for as long before. One that is heard again after that counts twice, once
    /// for each: in rounds of 25 slots most do, so u is about 0.6, which is enough for the limit.
    mutating func addNewcomer(isStaying: Bool) {
        newcomerShare += ((isStaying ? 1 : 0) - newcomerShare) / Self.memory
    }

    /// The largest n, for rounds of G slots.
    func largestCrowd(roundSlots: Int) -> Double {
        Self.smallCrowd + Self.devicesPerToken * tokensPerSlot * Double(roundSlots)
    }
}
