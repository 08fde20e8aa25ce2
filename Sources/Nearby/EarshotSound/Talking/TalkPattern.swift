/// The slots of a period in which a device talks: one in each round.
///
///     slot r·G + pᵣ,   0 ≤ pᵣ < G,   0 ≤ r < R
///
/// Two devices hear each other in the slots in which their patterns differ. Because patterns repeat, hits and misses repeat
/// too: a device can tell from the tokens it hears that its pattern is too similar to a neighbour's.
struct TalkPattern: Sendable {
    /// G, slots in a round.
    let roundSlots: Int
    /// p, 0 ..< G; shape [R].
    private(set) var positions: [Int]

    /// A random pattern.
    init(roundSlots: Int, roundCount: Int, using generator: inout some RandomNumberGenerator) {
        self.roundSlots = roundSlots
        positions = (0..<roundCount).map { _ in Int.random(in: 0..<roundSlots, using: &generator) }
    }

    /// R·G, slots in a period.
    var periodSlots: Int { positions.count * roundSlots }

    /// Whether to talk in a slot of a period.
    func talks(in slot: Int) -> Bool {
        positions[slot / roundSlots] == slot % roundSlots
    }

    /// Moves one talk to another slot of its round, if that helps: a random one of the best.
    mutating func change(_ need: PatternNeed, using generator: inout some RandomNumberGenerator) {
        var best: (score: Int, round: Int, position: Int)?
        var tieCount = 0
        for round in positions.indices where need.gains[round] > 0 {
            for position in 0..<roundSlots where position != positions[round] {
                let score = need.gains[round] - need.costs[round * roundSlots + position]
                let most = best?.score ?? .min
                if score < most { continue }
                tieCount = score > most ? 1 : tieCount + 1
                if Int.random(in: 0..<tieCount, using: &generator) == 0 { best = (score, round, position) }
            }
        }
        if let best { positions[best.round] = best.position }
    }
}
