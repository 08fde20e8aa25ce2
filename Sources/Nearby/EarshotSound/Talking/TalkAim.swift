/// The number of devices that should talk in one slot, adjusted by the share of tokens that are heard.
///
///     λ ← 0.8·λ where h < 0.8·e − 1.2·√e,   λ ← 1.2·λ where h > 0.92·e and e ≥ 40,   each followed by h = e = 0
///     e = Σ m₀·(1 − 1/G),   h = tokens heard of these m₀,   over the rounds since then
///
/// Each device talks once a round, and misses the one of G slots in which it talks itself. Further losses come from
/// slots that were too full; a small room fills sooner than free air. 1.2·√e is three standard deviations: a few tokens
/// show that a room is much too full.
///
/// A device whose rounds are shorter than all others' hears too little and lengthens its own, and vice versa, so
/// devices converge.
struct TalkAim: Sendable {
    /// λ.
    private(set) var talkersPerSlot: Double
    private let range: ClosedRange<Double>
    /// e, h.
    private var dueCount = 0.0
    private var heardCount = 0.0

    private static let lowShare = 0.8
    private static let highShare = 0.92
    private static let deviations = 1.2
    private static let fall = 0.8
    private static let rise = 1.2
    private static let minimumDueCount = 40.0
    /// The number of due tokens at which both counts are halved, to forget old ones.
    private static let maximumDueCount = 120.0

    init(_ limits: TalkLimits) {
        range = min(limits.minimumTalkersPerSlot, limits.talkersPerSlot)...limits.talkersPerSlot
        talkersPerSlot = range.upperBound
    }

    /// Counts a token of a known neighbour.
    mutating func hear() {
        heardCount += 1
    }

    /// Ends a round.
    /// - Parameters:
    ///   - knownCount: m₀, the neighbours known when the round began.
    ///   - roundSlots: G.
    mutating func finishRound(knownCount: Int, roundSlots: Int) {
        dueCount += Double(knownCount) * (1 - 1 / Double(roundSlots))
        if heardCount < Self.lowShare * dueCount - Self.deviations * dueCount.squareRoot() {
            change(by: Self.fall)
        } else if dueCount >= Self.minimumDueCount, heardCount > Self.highShare * dueCount {
            change(by: Self.rise)
        } else if dueCount > Self.maximumDueCount {
            (dueCount, heardCount) = (dueCount / 2, heardCount / 2)
        }
    }

    private mutating func change(by factor: Double) {
        talkersPerSlot = min(max(factor * talkersPerSlot, range.lowerBound), range.upperBound)
        (dueCount, heardCount) = (0, 0)
    }
}
