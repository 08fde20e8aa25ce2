import Foundation
import GRDB
import Testing

@testable import EarshotServer

/// The resumption of interrupted streams.
@Suite struct ResumptionTests {
    private func room(_ kind: StoreKind) async throws -> (World, publisher: Device, subscriber: Device) {
        let world = try World(kind)
        let (publisher, subscriber) = (try await world.device(), try await world.device())
        _ = try await subscriber.subscribe(for: .seconds(86_400))
        return (world, publisher, subscriber)
    }

    @Test(arguments: StoreKind.all) func goesOnAfterTheLastNumber(_ kind: StoreKind) async throws {
        let (_, publisher, subscriber) = try await room(kind)
        for text in ["one", "two", "three"] { try await subscriber.hear(try await publisher.publish(text).token) }
        #expect(try await subscriber.changes().map(\.sequence) == [1, 2, 3])
        #expect(try await subscriber.news(after: 1) == ["+two", "+three"])
        #expect(try await position(subscriber, after: 1) == StreamPosition(isResumed: true, last: 3))
        #expect(try await position(subscriber, after: 3) == StreamPosition(isResumed: true, last: 3))
    }

    /// A message that changed while the client was away is sent once, in its current state.
    @Test(arguments: StoreKind.all) func changesOfOneMessageAreOne(_ kind: StoreKind) async throws {
        let (_, publisher, subscriber) = try await room(kind)
        let publication = try await publisher.publish("one")
        try await subscriber.hear(publication.token)
        for _ in 0..<3 {
            try await subscriber.lose(publication.token)
            try await subscriber.hear(publication.token)
        }
        #expect(try await subscriber.news(after: 1) == ["+one"])
        #expect(try await position(subscriber, after: 1)?.last == 7)
    }

    @Test(arguments: StoreKind.all) func numbersThatNeverWere(_ kind: StoreKind) async throws {
        let (_, publisher, subscriber) = try await room(kind)
        try await subscriber.hear(try await publisher.publish("one").token)
        #expect(try await position(subscriber, after: nil) == StreamPosition(isResumed: false, last: 1))
        #expect(try await position(subscriber, after: 2) == StreamPosition(isResumed: false, last: 1))
        #expect(try await position(subscriber, after: -1) == StreamPosition(isResumed: false, last: 1))
    }

    /// The service remembers a lost message for a while, and which clients have not read the loss.
    @Test(arguments: StoreKind.all) func forgottenLosses(_ kind: StoreKind) async throws {
        let (world, publisher, subscriber) = try await room(kind)
        let publication = try await publisher.publish("one")
        try await subscriber.hear(publication.token)
        try await world.service.unpublish(publication.id, for: publisher.session)
        try await world.pass(world.service.limits.memory)
        #expect(try await subscriber.news(after: 1) == ["-one"])
        #expect(try await position(subscriber, after: 1)?.isResumed == true)
        try await world.pass(.milliseconds(1))
        #expect(try await subscriber.news(after: 1) == [])
        #expect(try await position(subscriber, after: 1)?.isResumed == false)
        #expect(try await position(subscriber, after: 2)?.isResumed == true)
    }

    @Test(arguments: StoreKind.all) func pagesHoldTogether(_ kind: StoreKind) async throws {
        let (world, publisher, subscriber) = try await room(kind)
        for index in 0..<20 { try await subscriber.hear(try await publisher.publish("\(index)").token) }
        var query = ChangeQuery(after: 0, limit: 3)
        var all: [Int64] = []
        while true {
            let page = try await world.store.changes(of: subscriber.session, query)
            all += page.changes.map(\.sequence)
            query.after = page.cursor
            if !page.isFull { break }
        }
        #expect(all == Array(1...20))
    }

    @Test(arguments: StoreKind.all) func endedSessionHasNoPosition(_ kind: StoreKind) async throws {
        let (world, _, subscriber) = try await room(kind)
        try await world.service.endSession(subscriber.session)
        #expect(try await position(subscriber, after: nil) == nil)
    }

    /// The service forgets everything in the end.
    @Test(arguments: StoreKind.all) func everythingIsForgotten(_ kind: StoreKind) async throws {
        let (world, publisher, subscriber) = try await room(kind)
        for text in ["one", "two"] { try await subscriber.hear(try await publisher.publish(text).token) }
        try await world.service.endSession(publisher.session)
        try await world.service.endSession(subscriber.session)
        for _ in 0..<3 { try await world.pass(world.service.limits.memory + world.service.limits.tokenLifetime) }
        for table in ["device", "publication", "subscription", "token", "delivery"] {
            #expect(try await world.rowCount(table) == 0, "\(table)")
        }
        let live = try world.live.withLock { $0 }
        #expect(live.devices.isEmpty && live.sessions.isEmpty && live.offers.isEmpty && live.wishes.isEmpty)
        #expect(live.offerRows.isEmpty && live.wishRows.isEmpty && live.tokens.isEmpty && live.tokenRows.isEmpty)
        #expect(live.hearers.isEmpty && live.deliveries.isEmpty && live.keys.isEmpty && live.sightingCount == 0)
        #expect(live.deviceEnds.isEmpty && live.offerEnds.isEmpty && live.wishEnds.isEmpty && live.sightingEnds.isEmpty)
        #expect(live.tokensToForget.isEmpty && live.offersToForget.isEmpty && live.lossesToForget.isEmpty)
    }

    private func position(_ device: Device, after cursor: Int64?) async throws -> StreamPosition? {
        try await device.world.store.position(of: device.session, after: cursor, now: device.world.clock.now)
    }
}
