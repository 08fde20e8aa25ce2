import EarshotDiscovery
import NearbyWire

/// The beacons that one scan hears. It has no clock: the caller passes the time since the manager began.
///
///     gone when  t ≥ last heard + patience
struct BeaconBook: Sendable {
    /// The maximum number of beacons. More are ignored: any device may invent beacons.
    static let maximumCount = 4_096

    private var ends: [BeaconIdentifier: Duration] = [:]

    /// A book without beacons.
    init() {}

    /// The beacons that are near.
    var near: Set<BeaconIdentifier> { Set(ends.keys) }

    /// When the next beacon is gone unless it is heard again; nil if none is near.
    var nextEnd: Duration? { ends.values.min() }

    /// A beacon was heard.
    /// - Returns: whether it was not near before.
    mutating func see(_ sighting: BeaconSighting, now: Duration) -> Bool {
        let end = now - max(sighting.age, .zero) + sighting.patience
        guard sighting.beacon.isComplete, end > now else { return false }
        let known = ends[sighting.beacon]
        guard known != nil || ends.count < Self.maximumCount else { return false }
        ends[sighting.beacon] = max(end, known ?? end)
        return known == nil
    }

    /// Removes the beacons that were silent for too long.
    /// - Returns: whether there were any.
    mutating func expire(now: Duration) -> Bool {
        let count = ends.count
        ends = ends.filter { $0.value > now }
        return ends.count < count
    }
}
