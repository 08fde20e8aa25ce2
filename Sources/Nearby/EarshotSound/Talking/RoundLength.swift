/// The lengths of rounds and periods. There are few, so that devices with slightly different estimates still agree.
///
///     G ∈ 3, 4, 5, 6, 8, 10, 12, 16, 20, 24, 32, …,   R = 15/G, at least 3, at most `roundCount`,   P = R·G
enum RoundLength {
    /// The minimum period to aim for: a neighbour that talks several times in it is almost certainly heard once.
    static let shortestPeriodSlots = 15
    private static let minimumRoundCount = 3
    private static let all: [Int] = {
        var lengths = [1, 2, 3]
        var octave = 4
        while octave <= 2_048 {
            lengths += [octave, octave + octave / 4, octave + octave / 2]
            octave *= 2
        }
        return lengths
    }()

    /// G, the round length in slots that is closest to the wanted one.
    static func nearest(_ wanted: Double, limits: TalkLimits) -> Int {
        let index = all.firstIndex { Double($0) >= wanted } ?? all.count - 1
        guard index > 0 else { return max(limits.minimumRoundSlots, all[0]) }
        let isLower = wanted - Double(all[index - 1]) < Double(all[index]) - wanted
        return max(limits.minimumRoundSlots, all[isLower ? index - 1 : index])
    }

    /// R, the number of rounds in a period.
    static func roundCount(roundSlots: Int, limits: TalkLimits) -> Int {
        min(limits.roundCount, max(minimumRoundCount, shortestPeriodSlots / roundSlots))
    }

    /// P, in slots, for devices whose estimates are up to twice or half of this one's.
    static func periods(around own: Int, limits: TalkLimits) -> [Int] {
        all.filter { $0 >= limits.minimumRoundSlots }
            .map { $0 * roundCount(roundSlots: $0, limits: limits) }
            .filter { 2 * $0 >= own && $0 <= 2 * own }
    }
}
