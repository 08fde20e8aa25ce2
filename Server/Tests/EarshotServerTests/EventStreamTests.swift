import AsyncHTTPClient
import Foundation
import Hummingbird
import HummingbirdTesting
import NearbyWire
import Testing

@testable import EarshotServer

/// The events found and lost, over a connection.
@Suite(.timeLimit(.minutes(1))) struct EventStreamTests {
    @Test(arguments: StoreKind.all) func foundAndLost(_ kind: StoreKind) async throws {
        try await onStream(kind) { world, publisher, subscriber, base, secret in
            var reader = try await EventReader(base, bearer: secret)
            #expect(try await reader.next() == .init(name: "ready", data: "{\"resumed\":false}"))
            let publication = try await publisher.publish("hello")
            try await subscriber.hear(publication.token)
            let found = try await reader.next()
            #expect(found?.name == "found")
            #expect(found?.id == "1")
            #expect(found?.text == "hello")
            try await world.service.unpublish(publication.id, for: publisher.session)
            let lost = try await reader.next()
            #expect(lost?.name == "lost")
            #expect(lost?.id == "2")
            #expect(lost?.text == "hello")
        }
    }

    @Test(arguments: StoreKind.all) func nearMessagesComeFirst(_ kind: StoreKind) async throws {
        try await onStream(kind) { world, publisher, subscriber, base, secret in
            // More messages than a page, with the maximum content.
            let large = String(repeating: "x", count: 102_399)
            for index in 0..<10 { try await subscriber.hear(try await publisher.publish("\(index)" + large).token) }
            var reader = try await EventReader(base, bearer: secret)
            #expect(try await reader.next()?.name == "ready")
            for index in 0..<10 { #expect(try await reader.next()?.text == "\(index)" + large) }
        }
    }

    @Test(arguments: StoreKind.all) func resumes(_ kind: StoreKind) async throws {
        try await onStream(kind) { world, publisher, subscriber, base, secret in
            let first = try await publisher.publish("first")
            try await subscriber.hear(first.token)
            try await subscriber.hear(try await publisher.publish("second").token)
            try await world.service.unpublish(first.id, for: publisher.session)
            var reader = try await EventReader(base, bearer: secret, lastEventID: "1")
            #expect(try await reader.next()?.data == "{\"resumed\":true}")
            #expect(try await reader.next()?.text == "second")
            #expect(try await reader.next() == .init(id: "3", name: "lost", data: try await lostData(subscriber)))
            var anew = try await EventReader(base, bearer: secret, lastEventID: "no number")
            #expect(try await anew.next()?.data == "{\"resumed\":false}")
            let second = try await anew.next()
            #expect(second?.name == "found")
            #expect(second?.text == "second")
        }
    }

    @Test(arguments: StoreKind.all) func endsWithTheSession(_ kind: StoreKind) async throws {
        try await onStream(kind) { world, _, subscriber, base, secret in
            var reader = try await EventReader(base, bearer: secret)
            #expect(try await reader.next()?.name == "ready")
            try await world.service.endSession(subscriber.session)
            let end = try await reader.next()
            #expect(end?.name == "end")
            #expect(end?.data.contains("bad_session") == true)
            #expect(try await reader.next() == nil)
        }
    }

    /// The stream of a lost connection must not block the next one.
    @Test(arguments: StoreKind.all) func theOldestMakesRoom(_ kind: StoreKind) async throws {
        try await onStream(kind) { world, _, _, base, secret in
            var readers: [EventReader] = []
            for _ in 0..<3 {
                var reader = try await EventReader(base, bearer: secret)
                #expect(try await reader.next()?.name == "ready")
                readers.append(reader)
            }
            #expect(try await readers[0].next() == nil)
            #expect(world.service.hub.count == 2)
        }
    }

    /// A device with an open stream counts as alive even if it reports nothing. Its silence begins when the connection
    /// ends.
    @Test(arguments: StoreKind.all) func anOpenStreamIsASignOfLife(_ kind: StoreKind) async throws {
        try await onStream(kind, { $0.silence = .seconds(15) }) { world, publisher, subscriber, base, secret in
            let client = HTTPClient(eventLoopGroupProvider: .singleton)
            var reader = try await EventReader(base, bearer: secret, client: client)
            #expect(try await reader.next()?.name == "ready")
            let publication = try await publisher.publish("hello")
            try await subscriber.hear(publication.token)
            #expect(try await reader.next()?.name == "found")
            try await world.pass(.seconds(60))
            #expect(try await subscriber.near() == ["hello"])
            try await client.shutdown()
            while world.service.hub.count > 0 { try await Task.sleep(for: .milliseconds(5)) }
            try await world.pass(.milliseconds(14_999))
            #expect(try await subscriber.near() == ["hello"])
            try await world.pass(.milliseconds(1))
            #expect(try await subscriber.news() == ["-hello"])
        }
    }

    /// Runs a service on a port, a publisher, and a subscriber with its secret.
    private func onStream(
        _ kind: StoreKind, _ adjust: (inout ServiceLimits) -> Void = { _ in },
        _ body: @Sendable (World, Device, Device, _ base: String, _ secret: String) async throws -> Void
    ) async throws {
        let world = try World(kind, adjust)
        let publisher = try await world.device()
        let (session, secret) = try await world.service.openSession(key: try await world.key())
        let subscriber = Device(world: world, session: session)
        _ = try await subscriber.subscribe()
        try await EarshotServer.application(world.service, logger: silent).test(.live) { client in
            let port = try #require(client.port)
            try await body(world, publisher, subscriber, "http://127.0.0.1:\(port)", secret)
        }
        // The service stops in spite of open streams: reaching this line proves it. No stream is left.
        #expect(world.service.hub.count == 0)
    }

    private func lostData(_ device: Device) async throws -> String {
        let change = try #require(try await device.changes(after: 2).first)
        return String(decoding: try jsonData(ChangeBody(change)), as: UTF8.self)
    }
}
