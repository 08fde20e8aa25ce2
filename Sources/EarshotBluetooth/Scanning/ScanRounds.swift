/// When the adapter scans: in rounds that begin again and again.
///
/// A controller may report each address only once while it scans, and a kernel may tell it to. The begin of a round makes it
/// report again all that it hears. So a device that stays is heard at least once in a round.
struct ScanRounds: Sendable, Equatable {
    /// How long a round scans.
    let scanning: Duration
    /// How long the adapter rests until the next round.
    let resting: Duration

    /// The rounds of a power.
    init(_ power: ScanPower) {
        switch power {
        case .continuous: (scanning, resting) = (.seconds(4), .zero)
        case .low: (scanning, resting) = (.seconds(1.5), .seconds(2.5))
        }
    }

    /// How long after its last frame a device counts as present: two rounds, and a second for delays.
    static let patience = Duration.seconds(9)

    /// The share of time in which the adapter is asked to scan; 0 ... 1.
    var share: Double { scanning / (scanning + resting) }
}
