import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import NearbyWire
import Testing

@testable import EarshotServer

/// Reports that say when a token was heard.
@Suite struct SightingDetailTests {
    private func hear(_ device: Device, _ token: Data, age: Duration) async throws {
        _ = try await device.world.service.report(
            heard: [HeardToken(bytes: token, age: age)], lost: [],
            for: device.session)
    }

    /// A sighting lives 90 s from when the token was heard, not from the report.
    @Test(arguments: StoreKind.all) func theAgeShortensASighting(_ kind: StoreKind) async throws {
        let world = try World(kind)
        let (publisher, subscriber) = (try await world.device(), try await world.device())
        let publication = try await publisher.publish("hello", for: .seconds(600))
        _ = try await subscriber.subscribe(for: .seconds(600))
        try await hear(subscriber, publication.token, age: .seconds(30))
        #expect(try await subscriber.near() == ["hello"])
        try await world.pass(.milliseconds(59_999))
        #expect(try await subscriber.near() == ["hello"])
        try await world.pass(.milliseconds(1))
        #expect(try await subscriber.near().isEmpty)
    }

    @Test(arguments: StoreKind.all) func aLateReportShortensNothing(_ kind: StoreKind) async throws {
        let world = try World(kind)
        let (publisher, subscriber) = (try await world.device(), try await world.device())
        let publication = try await publisher.publish("hello", for: .seconds(600))
        _ = try await subscriber.subscribe(for: .seconds(600))
        try await subscriber.hear(publication.token)
        try await hear(subscriber, publication.token, age: .seconds(80))
        try await world.pass(.milliseconds(89_999))
        #expect(try await subscriber.near() == ["hello"])
        try await world.pass(.milliseconds(1))
        #expect(try await subscriber.near().isEmpty)
    }

    @Test(arguments: StoreKind.all) func whatIsTooOldIsNotNear(_ kind: StoreKind) async throws {
        let world = try World(kind)
        let (publisher, subscriber) = (try await world.device(), try await world.device())
        let publication = try await publisher.publish("hello")
        _ = try await subscriber.subscribe()
        let answer = try await world.service.report(
            heard: [HeardToken(bytes: publication.token, age: .seconds(90))], lost: [], for: subscriber.session)
        #expect(answer.heard == [.valid])
        #expect(try await subscriber.news().isEmpty)
        #expect(try await world.store.counts().sightings == 0)
    }

    /// A sighting from the future would live longer than any other.
    @Test(arguments: StoreKind.all) func anImpossibleAgeIsRefused(_ kind: StoreKind) async throws {
        let world = try World(kind)
        let (publisher, subscriber) = (try await world.device(), try await world.device())
        let token = try await publisher.publish("hello").token
        for age in [.seconds(-1), world.service.limits.maximumTimeToLive + .seconds(1)] as [Duration] {
            let refusal = try await problem { try await hear(subscriber, token, age: age) }
            #expect(refusal?.code == "out_of_range" && refusal?.message == "age_s is out of range.", "\(age)")
        }
        #expect(try await world.store.counts().sightings == 0)
        try await hear(subscriber, token, age: world.service.limits.maximumTimeToLive)
        try await hear(subscriber, token, age: .zero)
        #expect(try await world.store.counts().sightings == 1)
    }

    /// Older clients also send the medium by which they heard a token, and its strength. The service ignores both, so they
    /// may have any value.
    @Test(arguments: StoreKind.all) func textsAndObjectsTogether(_ kind: StoreKind) async throws {
        let world = try World(kind)
        let publication = try await world.device().publish("hello")
        let (key, token) = (try await world.key(), publication.token.hex)
        try await EarshotServer.application(world.service, logger: silent).test(.router) { client in
            let device = try await Caller(client, key: key)
            let answer = try await device.send(
                .post, "/v1/sightings",
                raw: """
                    {"heard":["\(token)",{"token":"\(token)"},{"token":"0000000000000000","medium":"audio"},
                    {"token":"\(token)","medium":"ble","rssi_dbm":-127,"age_s":0.25,"later":[]},
                    {"token":"\(token)","medium":7,"rssi_dbm":"loud"}]}
                    """)
            #expect(answer.status == .ok)
            let statuses = (answer["heard"] as? [[String: String]])?.compactMap { $0["status"] }
            #expect(statuses == ["VALID", "VALID", "INVALID", "VALID", "VALID"])
        }
    }

    @Test(arguments: [
        ("{\"medium\":\"ble\"}", 400), ("{\"token\":1}", 400), ("1", 400), ("[]", 400), ("null", 400),
        ("{\"token\":\"x\",\"age_s\":\"old\"}", 400), ("{\"token\":\"x\",\"age_s\":1e999}", 400),
        ("{\"token\":\"x\",\"age_s\":-1}", 422), ("{\"token\":\"x\",\"age_s\":86401}", 422),
        ("{\"token\":\"x\",\"age_s\":1e300}", 422),
    ])
    func nonsense(heard: String, status: Int) async throws {
        let world = try World()
        let key = try await world.key()
        try await EarshotServer.application(world.service, logger: silent).test(.router) { client in
            let device = try await Caller(client, key: key)
            let answer = try await device.send(.post, "/v1/sightings", raw: "{\"heard\":[\(heard)]}")
            #expect(answer.status.code == status, "\(heard): \(answer.text)")
        }
    }
}
