/// When the adapter scans: in repeated rounds.
///
/// A controller may report each address only once while it scans, and a kernel may tell it to. The start of a round
/// makes it report everything again that it hears. So a device that stays is heard at least once in a round.
///
/// bluetoothd scans as long as any program requests it. The rounds of all programs end at the same times of the
/// machine's clock, so that together they let the adapter stop and start again.
struct ScanRounds: Sendable, Equatable {
    /// The time from the start of a round to that of the next.
    static let period = Duration.seconds(4)
    /// The part of each period, at its end, in which no program scans: bluetoothd needs some milliseconds for each of them.
    static let commonRest = Duration.milliseconds(100)
    /// A first round that would be shorter than this lasts until the end of the next period.
    private static let minimumFirst = Duration.seconds(1)

    /// How long a device that is heard in each round counts as present after its last frame: two rounds, and a second
    /// for delays. Other devices have more (`SilencePatience`).
    static let patience = Duration.seconds(9)
    /// The same while a foreign program holds the scan, so that new rounds do not restart it. The kernel then restarts
    /// it, after 10.24 s and some delay (`DISCOV_LE_TIMEOUT`; 10.5 s measured): twice that, and two seconds.
    static let patienceWhileShared = Duration.seconds(23)

    /// How long a round scans.
    let scanning: Duration

    /// The rounds of a power.
    init(_ power: ScanPower) {
        switch power {
        case .continuous: scanning = Self.period - Self.commonRest
        case .low: scanning = .seconds(1.5)
        }
    }

    /// How long a round that begins now scans.
    /// - Parameter now: The time of the machine's monotonic clock, which all programs share.
    func duration(beginningAt now: Duration) -> Duration {
        let toCommonRest = Self.untilNextPeriod(now) - Self.commonRest
        if scanning <= toCommonRest { return scanning }
        return toCommonRest >= Self.minimumFirst ? toCommonRest : min(scanning, toCommonRest + Self.period)
    }

    /// How long the adapter pauses after a round that ended now.
    static func rest(endingAt now: Duration) -> Duration { untilNextPeriod(now) }

    /// The time until the middle of the next pause that all programs share; more than zero.
    static func untilCommonRest(_ now: Duration) -> Duration { untilNextPeriod(now + commonRest / 2) }

    /// The share of time in which the adapter is asked to scan; 0 ... 1.
    var share: Double { scanning / Self.period }

    /// More than zero.
    private static func untilNextPeriod(_ now: Duration) -> Duration {
        let seconds = now / period
        return period * (seconds.rounded(.down) + 1 - seconds)
    }
}
