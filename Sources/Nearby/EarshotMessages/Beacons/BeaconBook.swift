import EarshotDiscovery
import NearbyWire

/// The beacons that one scan hears. It has no clock: the caller passes the time since the manager began.
///
///     gone when  t ≥ last heard + patience
struct BeaconBook: Sendable {
    /// The maximum number of beacons. More are ignored: any device may invent beacons.
    static let maximumCount = 4_096

    private var records: [BeaconIdentifier: (heard: Duration, end: Duration)] = [:]

    /// A book without beacons.
    init() {}

    /// The beacons that are near.
    var near: Set<BeaconIdentifier> { Set(records.keys) }

    /// The time at which the next beacon is gone unless it is heard again; nil if none is near.
    var nextEnd: Duration? { records.values.map(\.end).min() }

    /// A beacon was heard.
    /// - Returns: whether it was not near before.
    mutating func see(_ sighting: BeaconSighting, now: Duration) -> Bool {
        let heard = now - max(sighting.age, .zero)
        let end = heard + sighting.patience
        guard sighting.beacon.isComplete, end > now else { return false }
        let known = records[sighting.beacon]
        guard known != nil || records.count < Self.maximumCount else { return false }
        // The latest sighting has the best estimate of the patience, even if it is shorter.
        if heard >= known?.heard ?? heard { records[sighting.beacon] = (heard, end) }
        return known == nil
    }

    /// Removes the beacons that have been silent for too long.
    /// - Returns: whether there were any.
    mutating func expire(now: Duration) -> Bool {
        let count = records.count
        records = records.filter { $0.value.end > now }
        return records.count < count
    }
}
