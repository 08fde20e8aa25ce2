import EarshotCoding
import EarshotSealing
import Foundation
import NearbyWire
import Testing

@testable import EarshotMessages

/// Two devices of a sealed project, and the data that a service would pass on between them.
struct SealingDeskTests {
    private let terms = SealingBody(version: 1, salt: Data(1...16), rounds: 100)
    private let publisher = SealingDesk()
    private let subscriber = SealingDesk()
    private let message = Message(content: Data("hello".utf8), type: "greeting", namespace: "room")
    private let publication = RegistrationName(.publication, "p1")

    private func session(_ secret: String) throws -> ServiceSession {
        let sealing: DeviceSealing = try #require(DeviceSealing(terms))
        return ServiceSession(secret: secret, sealing: sealing)
    }

    private func answer(_ name: RegistrationName, _ offer: TokenOfferBody) throws -> Registration {
        Registration(
            name: name, expiresIn: .seconds(300), token: try Payload(hex: offer.token), tokenExpiresIn: .seconds(120),
            rotateIn: .seconds(60))
    }

    private func found(_ draft: SealingDesk.Draft) throws -> ServiceEvent {
        guard case .publication(let sealed) = draft.order else { throw POSIXError(.EINVAL) }
        return .found(subscription: "s1", message: sealed, id: "p1", eventID: "7")
    }

    private var plain: ServiceEvent { .found(subscription: "s1", message: message, id: "p1", eventID: "7") }

    @Test func `the service sees neither message, type, namespace nor token`() throws {
        let session = try session("a")
        let draft = try #require(publisher.draft(.publication(message), name: "order", in: session))
        guard case .publication(let sealed) = draft.order else {
            Issue.record("a publication is one")
            return
        }
        #expect(sealed.content.range(of: message.content) == nil && sealed.content.count == 5 + 8 + 4 + 32)
        #expect(sealed.type.count == 32 && sealed.namespace.count == 32 && sealed.type != sealed.namespace)
        let confirmed = try publisher.confirmed(try answer(publication, draft.offer), draft, in: session)
        #expect(confirmed.token.hex != draft.offer.token)
        let wish = try #require(
            publisher.draft(.subscription(namespace: "room", type: "greeting"), name: "wish", in: session))
        #expect(wish.order == .subscription(namespace: sealed.namespace, type: sealed.type) && wish.offer.key == nil)
    }

    @Test func `a subscriber that hears the token opens the message`() throws {
        let (here, there) = (try session("a"), try session("b"))
        let draft = try #require(publisher.draft(.publication(message), name: "order", in: here))
        let token = try publisher.confirmed(try answer(publication, draft.offer), draft, in: here).token
        let key = KeyBody(token: draft.offer.token, key: try #require(draft.offer.key))
        #expect(subscriber.opened(try found(draft), keys: [key], in: there) == .quiet)
        let report = subscriber.body(SightingReport(heard: [token]), in: there)
        #expect(report.heard?.map(\.token) == [draft.offer.token])
        #expect(subscriber.opened(try found(draft), keys: [key], in: there) == plain)
        // After a restart of the service the event may come without a key.
        #expect(subscriber.opened(try found(draft), keys: [], in: there) == plain)
        let lost = ServiceEvent.lost(subscription: "s1", id: "p1", eventID: nil)
        #expect(subscriber.opened(lost, keys: [], in: there) == lost)
    }

    @Test func `a subscriber that is heard opens the message`() throws {
        let (here, there) = (try session("a"), try session("b"))
        let wish = try #require(subscriber.draft(.subscription(namespace: "room", type: ""), name: "wish", in: there))
        let token = try subscriber.confirmed(
            try answer(RegistrationName(.subscription, "s1"), wish.offer), wish, in: there
        ).token
        let draft = try #require(publisher.draft(.publication(message), name: "order", in: here))
        _ = try publisher.confirmed(try answer(publication, draft.offer), draft, in: here)
        let keys = try #require(publisher.body(SightingReport(heard: [token]), in: here).keys)
        #expect(keys.map(\.token) == [wish.offer.token] && keys.map(\.publication) == ["p1"])
        let key = KeyBody(token: keys[0].token, key: keys[0].key)
        #expect(subscriber.opened(try found(draft), keys: [key], in: there) == plain)
    }

    @Test func `a report has the keys of each publication for what is heard, and of none that has ended`() throws {
        let session = try session("a")
        let tokens = (0..<2).map { _ in Payload.drawnToken() }
        let report = SightingReport(heard: tokens)
        let first = publisher.body(report, in: session)
        let identifiers = try #require(first.heard).map { try! Payload(hex: $0.token) }
        #expect(first.keys == [])
        let statuses: [Payload: TokenStatus] = [
            identifiers[0]: .valid, identifiers[1]: .invalid, Payload.drawnToken(): .valid,
        ]
        #expect(publisher.statuses(statuses, in: session) == [tokens[0]: .valid, tokens[1]: .invalid])
        let draft = try #require(publisher.draft(.publication(message), name: "order", in: session))
        _ = try publisher.confirmed(try answer(publication, draft.offer), draft, in: session)
        let keys = try #require(publisher.body(report, in: session).keys)
        #expect(keys.map(\.token) == identifiers.map(\.hex) && keys.allSatisfy { $0.publication == "p1" })
        publisher.forget(publication, in: session)
        #expect(publisher.body(report, in: session).keys == [])
    }

    @Test func `a renewal plays the token that the service names, and no other service's`() throws {
        let session = try session("a")
        let draft = try #require(publisher.draft(.publication(message), name: "order", in: session))
        let first = try publisher.confirmed(try answer(publication, draft.offer), draft, in: session).token
        let (lost, next) = (
            try #require(publisher.offer(for: publication, in: session)),
            try #require(publisher.offer(for: publication, in: session))
        )
        #expect(try publisher.confirmed(try answer(publication, draft.offer), nil, in: session).token == first)
        let late = try publisher.confirmed(try answer(publication, lost), nil, in: session).token
        let token = try publisher.confirmed(try answer(publication, next), nil, in: session).token
        #expect(Set([first, late, token]).count == 3)
        let strange = TokenOfferBody(token: "0123456789abcdef", key: nil)
        #expect(throws: ServiceFailure.invalid("it names a token that this device did not generate")) {
            try publisher.confirmed(try answer(publication, strange), nil, in: session)
        }
        #expect(publisher.offer(for: RegistrationName(.publication, "p2"), in: session) == nil)
    }

    @Test func `a repeated order has the same content in the same session`() throws {
        let session = try session("a")
        let drafts = try (0..<2).map { _ in
            try #require(publisher.draft(.publication(message), name: "order", in: session))
        }
        #expect(drafts[0].order == drafts[1].order && drafts[0].offer != drafts[1].offer)
        let other = try #require(publisher.draft(.publication(message), name: "order", in: try self.session("b")))
        #expect(other.order != drafts[0].order)
    }

    @Test func `the memory of tokens is bounded`() throws {
        let session = try session("a")
        let first = Payload.drawnToken()
        _ = publisher.body(SightingReport(heard: [first]), in: session)
        for second in 0..<(SealingDesk.maximumSecretCount / 64 + 8) {
            let heard = (0..<64).map { _ in Payload.drawnToken() }
            let bodies = publisher.bodies(SightingReport(heard: heard), in: session, nowSeconds: Double(second))
            #expect(bodies.first?.heard?.count == 64)
        }
        #expect(publisher.secretCount <= SealingDesk.maximumSecretCount)
    }

    @Test func `each heard token has the key of each publication, however many bodies that takes`() throws {
        let session = try session("a")
        for number in 1...9 {
            let draft = try #require(publisher.draft(.publication(message), name: "order \(number)", in: session))
            let name = RegistrationName(.publication, "p\(number)")
            _ = try publisher.confirmed(try answer(name, draft.offer), draft, in: session)
        }
        let report = SightingReport(heard: (0..<100).map { _ in Payload.drawnToken() })
        let bodies = publisher.bodies(report, in: session, nowSeconds: 0)
        #expect(bodies.map { $0.keys?.count } == [400, 400, 100])
        #expect(bodies.map { $0.heard?.count } == [100, 0, 0])
        let pairs = bodies.flatMap { $0.keys ?? [] }.map { "\($0.token) \($0.publication)" }
        #expect(Set(pairs).count == 900)
    }

    /// An attacker sends thousands of tokens: 1,000,000 rounds at once, and then 100,000 a second.
    @Test(arguments: [500, 1_000, 100_000]) func `new tokens beyond the budget wait`(rounds: Int) throws {
        let sealing: DeviceSealing = try #require(
            DeviceSealing(SealingBody(version: 1, salt: Data(1...16), rounds: rounds)))
        let session = ServiceSession(secret: "a", sealing: sealing)
        let burst = 1_000_000 / rounds
        let tokens = (0..<(burst + 5)).map { _ in Payload.drawnToken() }
        func count(_ nowSeconds: Double) -> Int? {
            publisher.bodies(SightingReport(heard: tokens), in: session, nowSeconds: nowSeconds)[0].heard?.count
        }
        #expect(count(10) == burst)
        #expect(count(10) == burst)
        #expect(count(20) == burst + 5)
        // A token that was never reported is not reported as lost either.
        let lost = publisher.bodies(SightingReport(lost: [Payload.drawnToken()]), in: session, nowSeconds: 20)
        #expect(lost.first?.lost == [])
    }

    @Test func `in an open project nothing changes`() throws {
        let session = ServiceSession(secret: "open")
        #expect(publisher.draft(.publication(message), name: "order", in: session) == nil)
        #expect(publisher.offer(for: publication, in: session) == nil)
        let report = SightingReport(heard: [Payload.drawnToken()])
        #expect(publisher.body(report, in: session) == SightingsBody(report))
        #expect(publisher.opened(plain, keys: [], in: session) == plain)
    }
}

extension SealingDesk {
    /// The first body of a report, always at the same time.
    fileprivate func body(_ report: SightingReport, in session: ServiceSession) -> SightingsBody {
        bodies(report, in: session, nowSeconds: 0)[0]
    }
}
