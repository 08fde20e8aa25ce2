import EarshotCoding
import EarshotDiscovery
import Testing

@Suite struct NeighbourhoodTests {
    private let other = DiscoveryMediumKind(name: "other", worksInBackground: true)
    private let token: Payload
    private let own: Payload

    init() throws {
        token = try Payload(hex: "0123456789abcdef")
        own = try Payload(hex: "fedcba9876543210")
    }

    private func sighting(_ patience: Int, snr: Double? = nil, age: Int = 0) -> Sighting {
        Sighting(token: token, snrDecibels: snr, age: .seconds(age), patience: .seconds(patience))
    }

    @Test func `found, updated, lost, found`() throws {
        var near = Neighbourhood()
        guard case .found(let found) = near.see(sighting(10, snr: 3), on: .audio, now: .seconds(1)) else {
            Issue.record("not found")
            return
        }
        #expect(found.snrDecibels == 3 && found.lastHeard == .seconds(1))
        guard case .updated(let updated) = near.see(sighting(10, snr: 7), on: .audio, now: .seconds(5)) else {
            Issue.record("not updated")
            return
        }
        #expect(updated.snrDecibels == 7 && updated.lastHeard == .seconds(5))
        #expect(near.expire(now: .seconds(15)).isEmpty)
        #expect(near.expire(now: .milliseconds(15_001)) == [.lost(updated)])
        #expect(near.expire(now: .seconds(100)).isEmpty)
        guard case .found = near.see(sighting(10), on: .audio, now: .seconds(101)) else {
            Issue.record("not found again")
            return
        }
    }

    @Test func `one token on two media is one neighbour, and there as long as on either`() throws {
        var near = Neighbourhood()
        _ = near.see(sighting(10), on: .audio, now: .zero)
        guard case .updated(let both) = near.see(sighting(30), on: other, now: .seconds(1)) else {
            Issue.record("two neighbours")
            return
        }
        #expect(both.media == [.audio, other] && both.medium == other)
        #expect(near.expire(now: .seconds(20)).isEmpty)
        guard case .updated(let one) = near.see(sighting(30), on: other, now: .seconds(21)) else {
            Issue.record("lost meanwhile")
            return
        }
        #expect(one.media == [other])
        #expect(near.expire(now: .seconds(52)).count == 1)
    }

    @Test func `own tokens are no neighbours, also those rotated away`() throws {
        var near = Neighbourhood()
        #expect(near.own(token) == nil)
        #expect(near.see(sighting(10), on: .audio, now: .zero) == nil)
        #expect(near.own(own) == nil)
        #expect(near.see(sighting(10), on: .audio, now: .seconds(1)) == nil)
        #expect(near.neighbours.isEmpty)
    }

    @Test func `a neighbour's token that becomes an own one is lost`() {
        var near = Neighbourhood()
        _ = near.see(sighting(10), on: .audio, now: .zero)
        guard case .lost = near.own(token) else {
            Issue.record("still there")
            return
        }
        #expect(near.neighbours.isEmpty)
    }

    @Test func `an old sighting shortens nothing`() {
        var near = Neighbourhood()
        _ = near.see(sighting(10, snr: 3), on: .audio, now: .seconds(10))
        _ = near.see(sighting(10, snr: 9, age: 5), on: .audio, now: .seconds(11))
        #expect(near.neighbours.map(\.snrDecibels) == [3])
        #expect(near.expire(now: .seconds(19)).isEmpty)
        #expect(near.see(sighting(1, age: 5), on: other, now: .seconds(11)) == nil)
    }

    @Test func `a flood of tokens fills no memory`() throws {
        var near = Neighbourhood()
        for number in 0..<5_000 {
            let bytes = (0..<8).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
            _ = near.see(Sighting(token: try Payload(bytes), patience: .seconds(9)), on: .audio, now: .zero)
        }
        #expect(near.neighbours.count == Neighbourhood.maximumNeighbourCount)
    }

    @Test func `all neighbours are removed, the longest silent first`() throws {
        var near = Neighbourhood()
        let other = try Payload([1])
        _ = near.see(Sighting(token: other, patience: .seconds(9)), on: .audio, now: .seconds(1))
        _ = near.see(sighting(10), on: .audio, now: .seconds(2))
        #expect(near[other]?.lastHeard == .seconds(1) && near[token]?.lastHeard == .seconds(2))
        let tokens = near.removeAll().map { event in
            if case .lost(let neighbour) = event { neighbour.token } else { nil as Payload? }
        }
        #expect(tokens == [other, token])
        #expect(near.neighbours.isEmpty && near[token] == nil && near.removeAll().isEmpty)
    }
}
