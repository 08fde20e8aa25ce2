public import EarshotCoding

/// Who is near: sightings in, events out. No clock and no task: time is what it is told.
///
///     lost when  t > max over media (last heard + patience)
///
/// One token on several media is one neighbour. Own tokens are ignored, also those that were rotated away: an echo, or
/// somebody who repeats them, may come late.
public struct Neighbourhood: Sendable {
    /// Neighbours and own tokens beyond these numbers are not kept: nobody shall fill the memory.
    public static let largestNeighbourCount = 4_096
    static let largestOwnCount = 64

    private struct Record: Sendable {
        var neighbour: Neighbour
        /// Until when it is there, and when it was heard, by medium.
        var until: [DiscoveryMediumKind: Duration]
        var heard: [DiscoveryMediumKind: Duration] = [:]
    }

    private var records: [Payload: Record] = [:]
    /// The latest last.
    private var ownTokens: [Payload] = []

    /// Nobody near.
    public init() {}

    /// All that are near, in no order.
    public var neighbours: [Neighbour] { records.values.map(\.neighbour) }

    /// From now on this token is ours; those before it still are not anybody else's.
    public mutating func own(_ token: Payload) -> DiscoveryEvent? {
        ownTokens.removeAll { $0 == token }
        ownTokens.append(token)
        if ownTokens.count > Self.largestOwnCount { ownTokens.removeFirst() }
        return records.removeValue(forKey: token).map { .lost($0.neighbour) }
    }

    /// A token was heard.
    /// - Parameter now: since discovery began.
    /// - Returns: nil where it is ours, or too old to say that anybody is there.
    public mutating func see(_ sighting: Sighting, on medium: DiscoveryMediumKind, now: Duration) -> DiscoveryEvent? {
        let heard = now - sighting.age
        let until = heard + sighting.patience
        guard !ownTokens.contains(sighting.token), until > now else { return nil }
        let known = records[sighting.token]
        guard known != nil || records.count < Self.largestNeighbourCount else { return nil }
        var record =
            known
            ?? Record(
                neighbour: Neighbour(token: sighting.token, medium: medium, media: [], lastHeard: heard), until: [:])
        record.until = record.until.filter { $0.value > now }
        // What the latest one tells is better founded than what was told before, also where it is shorter.
        if heard >= record.heard[medium] ?? heard {
            (record.until[medium], record.heard[medium]) = (until, heard)
        }
        record.neighbour.media = Set(record.until.keys)
        if heard >= record.neighbour.lastHeard {
            record.neighbour.medium = medium
            record.neighbour.snrDecibels = sighting.snrDecibels
            record.neighbour.levelDecibels = sighting.levelDecibels
            record.neighbour.lastHeard = heard
        }
        records[sighting.token] = record
        return known == nil ? .found(record.neighbour) : .updated(record.neighbour)
    }

    /// Those whose silence has become too long; the longest silent first.
    public mutating func expire(now: Duration) -> [DiscoveryEvent] {
        let gone = records.values.filter { $0.until.values.allSatisfy { $0 < now } }
        for record in gone { records[record.neighbour.token] = nil }
        return gone.map(\.neighbour).sorted { $0.lastHeard < $1.lastHeard }.map { .lost($0) }
    }
}
