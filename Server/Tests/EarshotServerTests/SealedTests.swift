import Foundation
import GRDB
import NearbyWire
import Testing

@testable import EarshotServer

#if Postgres
    import EarshotPostgres
#endif

/// Projects whose messages are sealed: the service passes on identifiers of tokens, tags and wrapped keys, and can read no
/// message.
@Suite struct SealedTests {
    private static let salt = Data(1...16)

    private func world(_ kind: StoreKind) async throws -> World {
        let world = try World(kind)
        _ = try await world.store.createProject(name: "ours", salt: Self.salt)
        return world
    }

    private func device(_ world: World) async throws -> Session {
        try await world.service.openSession(key: try await world.key(), canSeal: true).0
    }

    /// A token of this byte, with a key of the same byte.
    private func token(_ byte: UInt8, isPublished: Bool = true) -> TokenOfferBody {
        TokenOfferBody(token: identifier(byte).hex, key: isPublished ? key(byte) : nil)
    }

    private func identifier(_ byte: UInt8) -> Data { Data(repeating: byte, count: 8) }
    private func key(_ byte: UInt8) -> Data { Data(repeating: byte, count: 60) }

    private func publish(
        _ world: World, _ session: Session, _ byte: UInt8, order: String? = nil, content: Data = Data("sealed".utf8)
    ) async throws -> Outcome<Publication> {
        try await world.service.publish(
            Message(namespace: "", type: "tag", content: content), for: session, idempotencyKey: order,
            token: token(byte))
    }

    private func subscribe(_ world: World, _ session: Session, _ byte: UInt8) async throws -> Outcome<Subscription> {
        try await world.service.subscribe(
            MessageFilter(namespace: "", type: "tag"), for: session, token: token(byte, isPublished: false))
    }

    private func changes(_ world: World, _ session: Session) async throws -> [Change] {
        try await world.store.changes(of: session, ChangeQuery(after: 0, limit: 10)).changes
    }

    private func hear(
        _ world: World, _ session: Session, _ bytes: [UInt8], keys: [PublicationKeyBody] = []
    ) async throws -> [TokenStatus] {
        try await world.service.report(
            heard: bytes.map { HeardToken(bytes: identifier($0)) }, lost: [], keys: keys, for: session
        ).heard
    }

    @Test(arguments: StoreKind.all) func `a subscriber that hears gets the key of the token it hears`(
        _ kind: StoreKind
    ) async throws {
        let world = try await world(kind)
        let (publisher, subscriber) = (try await device(world), try await device(world))
        #expect(publisher.salt == Self.salt)
        let outcome = try await publish(world, publisher, 1)
        #expect(outcome.token.bytes == identifier(1))
        _ = try await subscribe(world, subscriber, 2)
        #expect(try await hear(world, subscriber, [1]) == [.valid])
        let found = try await changes(world, subscriber)
        #expect(found.map(\.message.keys) == [[WrappedKey(token: identifier(1), key: key(1))]])
        #expect(found.first?.message.content == Data("sealed".utf8) && found.first?.message.type == "tag")
    }

    @Test(arguments: StoreKind.all)
    func `a message is found by its publisher's hearing only with a key for the subscriber`(
        _ kind: StoreKind
    ) async throws {
        let world = try await world(kind)
        let (publisher, subscriber) = (try await device(world), try await device(world))
        let publication = try await publish(world, publisher, 1).value.identifier
        _ = try await subscribe(world, subscriber, 2)
        #expect(try await hear(world, publisher, [2]) == [.valid])
        #expect(try await changes(world, subscriber).isEmpty)
        // A device can give no keys for tokens that it does not hear, nor for others' publications.
        for keys in [
            [PublicationKeyBody(token: identifier(3).hex, publication: publication, key: key(9))],
            [PublicationKeyBody(token: "no token", publication: publication, key: key(9))],
            [PublicationKeyBody(token: identifier(2).hex, publication: "other", key: key(9))],
        ] {
            _ = try await hear(world, publisher, [], keys: keys)
            _ = try await hear(world, subscriber, [], keys: keys)
        }
        #expect(try await changes(world, subscriber).isEmpty)
        let own = PublicationKeyBody(token: identifier(2).hex, publication: publication, key: key(7))
        _ = try await hear(world, publisher, [], keys: [own])
        #expect(
            try await changes(world, subscriber).map(\.message.keys)
                == [[WrappedKey(token: identifier(2), key: key(7))]])
    }

    @Test(arguments: StoreKind.all) func `the token rotates when it is time, with its key`(
        _ kind: StoreKind
    ) async throws {
        let world = try await world(kind)
        let (publisher, subscriber) = (try await device(world), try await device(world))
        let publication = try await publish(world, publisher, 1).value.identifier
        _ = try await subscribe(world, subscriber, 2)
        func renew(_ byte: UInt8) async throws -> Data {
            try await world.service.renewPublication(publication, for: publisher, token: token(byte)).1.bytes
        }
        #expect(try await renew(3) == identifier(1))
        world.clock.advance(by: .seconds(61))
        #expect(try await renew(4) == identifier(4))
        // The answer was lost: the request comes again, with another token or the same.
        #expect(try await renew(5) == identifier(4))
        #expect(try await renew(4) == identifier(4))
        _ = try await hear(world, subscriber, [4])
        #expect(
            try await changes(world, subscriber).map(\.message.keys)
                == [[WrappedKey(token: identifier(4), key: key(4))]])
    }

    @Test(arguments: StoreKind.all) func `a repeated order gets its own token, a bounded number of times`(
        _ kind: StoreKind
    ) async throws {
        let world = try await world(kind)
        let session = try await device(world)
        let first = try await publish(world, session, 1, order: "once")
        for byte: UInt8 in 2...8 {
            let again = try await publish(world, session, byte, order: "once")
            #expect(!again.isNew && again.value.identifier == first.value.identifier)
            #expect(again.token.bytes == identifier(byte))
        }
        #expect(try await publish(world, session, 8, order: "once").token.bytes == identifier(8))
        #expect(try await publish(world, session, 9, order: "once").token.bytes == identifier(8))
        #expect(
            try await problem { try await publish(world, session, 9, order: "once", content: Data("x".utf8)) }
                == .repeatDiffers)
    }

    @Test(arguments: StoreKind.all) func `a taken token is refused, and nothing changes`(
        _ kind: StoreKind
    ) async throws {
        let world = try await world(kind)
        let (one, other) = (try await device(world), try await device(world))
        _ = try await publish(world, one, 1)
        #expect(try await problem { try await publish(world, other, 1) } == .tokenTaken)
        #expect(try await problem { try await publish(world, one, 1) } == .tokenTaken)
        #expect(try await problem { try await subscribe(world, other, 1) } == .tokenTaken)
        #expect(try await world.store.publications(of: other, now: world.clock.now).isEmpty)
        #expect(try await world.store.subscriptions(of: other, now: world.clock.now).isEmpty)
        let publication = try await publish(world, other, 2).value.identifier
        world.clock.advance(by: .seconds(61))
        #expect(
            try await problem {
                try await world.service.renewPublication(publication, for: other, token: token(1))
            } == .tokenTaken)
        #expect(try await world.rowCount("publication") == 2)
    }

    @Test(arguments: StoreKind.all)
    func `an old client, and requests without what they need, are refused with the reason`(
        _ kind: StoreKind
    ) async throws {
        let world = try await world(kind)
        #expect(
            try await problem { try await world.service.openSession(key: try await world.key()) } == .sealingRequired)
        let session = try await device(world)
        let wrong: [TokenOfferBody?] = [
            nil, TokenOfferBody(token: "", key: key(1)), TokenOfferBody(token: identifier(1).hex, key: nil),
            TokenOfferBody(token: identifier(1).hex, key: Data(count: 59)),
            TokenOfferBody(token: "xyxyxyxyxyxyxyxy", key: key(1)),
        ]
        for token in wrong {
            let refusal = try await problem {
                try await world.service.publish(
                    Message(namespace: "", type: "", content: Data()), for: session, token: token)
            }
            #expect(refusal?.code == "out_of_range" && refusal?.message.contains("sealed") == true)
        }
        let keyed = try await problem {
            try await world.service.subscribe(
                MessageFilter(namespace: "", type: ""), for: session, token: token(1))
        }
        #expect(keyed?.remedy.contains("without a key") == true)
        let short = PublicationKeyBody(token: identifier(1).hex, publication: "p", key: Data(count: 61))
        #expect(
            try await problem { try await hear(world, session, [], keys: [short]) }?.message
                == "A key has another size.")
        let many = [PublicationKeyBody](
            repeating: PublicationKeyBody(token: identifier(1).hex, publication: "p", key: key(1)), count: 401)
        #expect(
            try await problem { try await hear(world, session, [], keys: many) }?.message == "The report has 401 keys.")
    }

    @Test(arguments: StoreKind.all) func `an open project takes neither tokens nor keys`(
        _ kind: StoreKind
    ) async throws {
        let world = try World(kind)
        let session = try await device(world)
        #expect(session.salt == nil)
        #expect(try await problem { try await publish(world, session, 1) } == .notSealed)
        let key = PublicationKeyBody(token: identifier(1).hex, publication: "p", key: key(1))
        #expect(
            try await problem { try await hear(world, session, [], keys: [key]) } == .notSealed)
    }

    /// After a restart the service has forgotten which tokens devices hear, and the keys for them. A message without a key is not
    /// sent, but found with the next report that brings its key. Each is found once, however many wait.
    @Test(arguments: [false, true], [1, 8, 20])
    func `after a restart messages wait for their keys`(publisherHears: Bool, count: UInt8) async throws {
        let world = try await world(.sqlite)
        let (publisher, subscriber) = (try await device(world), try await device(world))
        let subscribed: UInt8 = 200
        var publications: [String] = []
        for byte in 1...count { publications.append(try await publish(world, publisher, byte).value.identifier) }
        _ = try await subscribe(world, subscriber, subscribed)
        let hearer = publisherHears ? publisher : subscriber
        let bytes = publisherHears ? [subscribed] : Array(1...count)
        let keys =
            publisherHears
            ? publications.enumerated().map { number, publication in
                PublicationKeyBody(
                    token: identifier(subscribed).hex, publication: publication, key: key(100 + UInt8(number)))
            } : []
        func report(_ service: TokenService) async throws {
            let heard = bytes.map { HeardToken(bytes: identifier($0)) }
            _ = try await service.report(heard: heard, lost: [], keys: keys, for: hearer)
        }
        func told(_ service: TokenService) async throws -> [Change] {
            try await service.store.changes(of: subscriber, ChangeQuery(after: 0, limit: 100)).changes
        }
        let expected = Int64(count)
        try await report(world.service)
        #expect(try await told(world.service).map(\.sequence) == Array(1...expected))
        let service = try await world.restarted()
        defer { try? service.store.close() }
        #expect(try await told(service).isEmpty)
        for _ in 0..<2 {
            try await report(service)
            #expect(try await told(service).map(\.sequence) == Array(expected + 1...2 * expected))
        }
        let found = try await told(service)
        let wrapped = Set((0..<count).map { key(publisherHears ? 100 + $0 : 1 + $0) })
        #expect(found.allSatisfy(\.isFound) && Set(found.flatMap(\.message.keys).map(\.key)) == wrapped)
    }

    /// The database has the keys and the salt, so a stream that resumes after a restart still sends both.
    @Test(arguments: StoreKind.all) func `keys of publications and the salt are read again with the rows`(
        _ kind: StoreKind
    ) async throws {
        let world = try await world(kind)
        let session = try await device(world)
        _ = try await publish(world, session, 1)
        _ = try await subscribe(world, session, 2)
        let rows = try await world.rows(of: session.project)
        #expect(rows.devices.map(\.device.salt) == [Self.salt])
        #expect(rows.tokens.map(\.token.key) == [key(1), nil])
        #expect(try await world.store.projects().map(\.salt) == [Self.salt])
    }

    /// The calendar was changed by an hour between two runs. Set back, a token lives no longer than a new one. Set forward, the token has
    /// ended, and the next publication is found.
    @Test(arguments: [-3_600, 3_600]) func `a calendar that is set by an hour prolongs no token`(seconds: Int)
        async throws
    {
        let world = try await world(.sqlite)
        let (publisher, subscriber) = (try await device(world), try await device(world))
        _ = try await publish(world, publisher, 1)
        _ = try await subscribe(world, subscriber, 2)
        #expect(try await hear(world, subscriber, [1]) == [.valid])
        world.clock.advance(by: .seconds(seconds))
        try await world.service.begin()
        try await world.service.sweep()
        let (life, sighting) = (world.service.limits.tokenLifetime, world.service.limits.sightingLifetime)
        if seconds < 0 {
            #expect(try await hear(world, subscriber, [1]) == [.valid])
            #expect(try await changes(world, subscriber).map(\.isFound) == [true])
            try await world.pass(life)
            #expect(try await hear(world, subscriber, [1]) == [.expired])
            try await world.pass(sighting)
            #expect(try await changes(world, subscriber).map(\.isFound) == [false])
        } else {
            #expect(try await hear(world, subscriber, [1]) != [.valid])
            #expect(try await changes(world, subscriber).allSatisfy { !$0.isFound })
            _ = try await publish(world, publisher, 3)
            _ = try await subscribe(world, subscriber, 4)
            #expect(try await hear(world, subscriber, [3]) == [.valid])
            #expect(try await changes(world, subscriber).count { $0.isFound } == 1)
        }
    }
}

extension World {
    /// The rows of a project in the database.
    fileprivate func rows(of project: Int64) async throws -> LiveRows {
        #if Postgres
            if let store = store as? PostgresStore {
                return try await store.perform { connection, _ in try LiveRows(connection, project: project) }
            }
        #endif
        return try await sqlite.pool.read { try LiveRows($0) }
    }
}
