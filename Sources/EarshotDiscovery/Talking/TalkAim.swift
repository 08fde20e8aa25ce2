/// How many should talk in one slot, by what comes of it.
///
///     λ ← 0.8·λ where h < 0.8·e − 1.2·√e,   λ ← 1.2·λ where h > 0.92·e and e ≥ 40,   each followed by h = e = 0
///     e = Σ m₀·(1 − 1/G),   h = tokens heard of these m₀,   over the rounds since then
///
/// Everybody talks once a round, and of G slots a device misses the one in which it talks itself. What is missing beyond that was
/// lost in slots that were too full, as those of a small room are sooner than those of free air. 1.2·√e is three standard
/// deviations: a room that is much too full is noticed by a few tokens.
///
/// Who believes in shorter rounds than all others hears too little and makes its own longer, and the other way round: devices
/// come to agree.
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
    private static let leastDueCount = 40.0
    /// What happened so long ago is half forgotten.
    private static let largestDueCount = 120.0

    init(_ limits: TalkLimits) {
        range = min(limits.leastTalkersPerSlot, limits.talkersPerSlot)...limits.talkersPerSlot
        talkersPerSlot = range.upperBound
    }

    /// A token of somebody known came.
    mutating func hear() {
        heardCount += 1
    }

    /// A round is over.
    /// - Parameters:
    ///   - knownCount: m₀, how many were known when it began.
    ///   - roundSlots: G.
    mutating func finishRound(knownCount: Int, roundSlots: Int) {
        dueCount += Double(knownCount) * (1 - 1 / Double(roundSlots))
        if heardCount < Self.lowShare * dueCount - Self.deviations * dueCount.squareRoot() {
            change(by: Self.fall)
        } else if dueCount >= Self.leastDueCount, heardCount > Self.highShare * dueCount {
            change(by: Self.rise)
        } else if dueCount > Self.largestDueCount {
            (dueCount, heardCount) = (dueCount / 2, heardCount / 2)
        }
    }

    private mutating func change(by factor: Double) {
        talkersPerSlot = min(max(factor * talkersPerSlot, range.lowerBound), range.upperBound)
        (dueCount, heardCount) = (0, 0)
    }
}
