import Glibc

/// How long a device may be silent and still count as present, from the share of rounds in which it was heard.
///
///     q = (w·q₀ + h) / (w + n),    m = ⌈ln ε / ln(1 − q)⌉,    patience = m · 4 s + s
///
/// n rounds passed, and the device was heard in h of them. Then m missed rounds in a row happen by chance once in 1/ε
/// times. A round without the device counts only when it is heard again, so its departure is not a miss. Old rounds
/// count less, by 1/e after 32. q₀ is the share assumed for a new device, with the weight of w rounds. s is the time
/// within a round by which two receptions may differ. With m = 2 it is 1 s, because a device that is heard so well is
/// heard early in each round.
///
/// m is 2 to 15, so a device that has left is lost after 9 to 64 s.
struct SilencePatience: Sendable, Equatable {
    /// ε: one in ten thousand, so that among ten devices about one is lost falsely in an hour.
    static let chance = 1e-4
    /// w. With more, the estimate for a badly heard device would adapt too slowly.
    static let priorRounds = 4.0
    /// The number of rounds after which a round's weight is 1/e.
    static let memoryRounds = 32.0
    static let minimumRounds = 2.0
    static let maximumRounds = 15.0

    /// n and h.
    private var passed = 0.0
    private var heard = 0.0
    /// The number of the latest round in which it was heard.
    private var latest: Double?

    /// Takes a reception.
    /// - Parameter now: The time of the machine's monotonic clock, whose multiples of 4 s are the ends of rounds.
    mutating func hear(now: Duration) {
        let round = (now / ScanRounds.period).rounded(.down)
        defer { latest = round }
        guard let latest, round > latest else { return }
        let count = round - latest
        // The device was away: this is a new stay.
        guard count <= Self.maximumRounds else {
            (passed, heard) = (0, 0)
            return
        }
        let weight = exp(-count / Self.memoryRounds)
        passed = passed * weight + count
        heard = heard * weight + 1
    }

    /// Stops counting: while a foreign program holds the scan, new rounds do not restart it, so receptions say nothing
    /// about rounds.
    mutating func pause() { latest = nil }

    /// How long the device may be silent from its latest reception on.
    func patience(_ power: ScanPower) -> Duration {
        let newcomer = power == .continuous ? 0.99 : 0.8
        let share = min((Self.priorRounds * newcomer + heard) / (Self.priorRounds + passed), 1 - Self.chance)
        // For q = 0.99 the result is 2; rounding errors must not make it 3.
        let rounds = (log(Self.chance) / log(1 - share) - 1e-9).rounded(.up)
        guard rounds > Self.minimumRounds else { return ScanRounds.patience }
        return ScanRounds.period * min(rounds, Self.maximumRounds) + ScanRounds(power).scanning
    }
}
