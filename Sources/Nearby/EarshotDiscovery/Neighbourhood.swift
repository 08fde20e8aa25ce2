public import EarshotCoding

/// The devices nearby: sightings in, events out. It has no clock and no task; the caller passes the time.
///
///     lost when  t > max over media (last heard + patience)
///
/// One token on several media is one neighbour. Own tokens are ignored, also earlier ones: an echo, or a device that
/// repeats them, may come late.
public struct Neighbourhood: Sendable {
    /// The maximum number of neighbours. More are ignored, so that an attacker cannot fill the memory.
    public static let maximumNeighbourCount = 4_096

    private struct Record: Sendable {
        var neighbour: Neighbour
        /// For each medium, the time until which the neighbour counts as present, and the time when it was heard.
        var until: [DiscoveryMediumKind: Duration]
        var heard: [DiscoveryMediumKind: Duration] = [:]
    }

    private var records: [Payload: Record] = [:]
    private var ownTokens = OwnTokens()

    /// Creates a neighbourhood without neighbours.
    public init() {}

    /// All neighbours, in no order.
    public var neighbours: [Neighbour] { records.values.map(\.neighbour) }

    /// The neighbour with this token; nil if none is near.
    public subscript(_ token: Payload) -> Neighbour? { records[token]?.neighbour }

    /// Sets the device's own token. Its earlier tokens remain its own.
    /// - Returns: `lost` if the token was a neighbour's until now.
    public mutating func own(_ token: Payload) -> DiscoveryEvent? {
        ownTokens.add(token)
        return records.removeValue(forKey: token).map { .lost($0.neighbour) }
    }

    /// Forgets which tokens are the device's own: from now on they may be those of neighbours.
    mutating func forgetOwnTokens() { ownTokens = OwnTokens() }

    /// Takes a sighting.
    /// - Parameters:
    ///   - sighting: the token, and how a medium heard it.
    ///   - medium: the medium that heard it.
    ///   - now: the time since the discovery began.
    /// - Returns: `found` or `updated`; nil if the token is an own one, or so old that its sender no longer counts as present.
    public mutating func see(_ sighting: Sighting, on medium: DiscoveryMediumKind, now: Duration) -> DiscoveryEvent? {
        let heard = now - sighting.age
        let until = heard + sighting.patience
        guard !ownTokens.contains(sighting.token), until > now else { return nil }
        let known = records[sighting.token]
        guard known != nil || records.count < Self.maximumNeighbourCount else { return nil }
        var record =
            known
            ?? Record(
                neighbour: Neighbour(token: sighting.token, medium: medium, media: [], lastHeard: heard), until: [:])
        record.until = record.until.filter { $0.value > now }
        // The latest sighting has the best estimate of the patience, even if it is shorter.
        if heard >= record.heard[medium] ?? heard {
            (record.until[medium], record.heard[medium]) = (until, heard)
        }
        record.neighbour.media = Set(record.until.keys)
        if heard >= record.neighbour.lastHeard {
            record.neighbour.medium = medium
            record.neighbour.snrDecibels = sighting.snrDecibels
            record.neighbour.levelDecibels = sighting.levelDecibels
            record.neighbour.rssiDecibelMilliwatts = sighting.rssiDecibelMilliwatts
            record.neighbour.lastHeard = heard
        }
        records[sighting.token] = record
        return known == nil ? .found(record.neighbour) : .updated(record.neighbour)
    }

    /// Removes the neighbours that have been silent for too long.
    /// - Returns: `lost` for each, the longest silent first.
    public mutating func expire(now: Duration) -> [DiscoveryEvent] {
        remove { $0.until.values.allSatisfy { $0 < now } }
    }

    /// Removes all neighbours: nothing listens any longer.
    /// - Returns: `lost` for each, the longest silent first.
    public mutating func removeAll() -> [DiscoveryEvent] { remove { _ in true } }

    private mutating func remove(where isGone: (Record) -> Bool) -> [DiscoveryEvent] {
        let gone = records.values.filter(isGone).map(\.neighbour)
        for neighbour in gone { records[neighbour.token] = nil }
        return gone.sorted { $0.lastHeard < $1.lastHeard }.map { .lost($0) }
    }
}
