import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import NearbyWire
import Testing

@testable import EarshotServer

#if Postgres
    import EarshotPostgres
#endif

/// Reports that say how a token was heard: medium, signal strength and age.
@Suite struct SightingDetailTests {
    private func hear(_ device: Device, _ token: Data, age: Duration) async throws {
        _ = try await device.world.service.report(
            heard: [HeardToken(bytes: token, medium: "ble", rssiDecibelMilliwatts: -60, age: age)], lost: [],
            for: device.session)
    }

    /// The details of the only sighting; nil if it has none.
    private func details(_ world: World) async throws -> String? {
        #if Postgres
            if let store = world.store as? PostgresStore {
                return try await store.perform { connection, _ in
                    try connection.execute("SELECT medium || ' ' || rssi_dbm FROM sighting").first.flatMap {
                        $0.optionalText(0)
                    }
                }
            }
        #endif
        return world.sqlite.live.withLock { live in
            live.devices.values.flatMap(\.heard.values).first.flatMap { sighting in
                sighting.medium.flatMap { medium in sighting.rssiDecibelMilliwatts.map { "\(medium) \($0)" } }
            }
        }
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

    @Test(arguments: StoreKind.all) func mediumAndStrengthAreKept(_ kind: StoreKind) async throws {
        let world = try World(kind)
        let (publisher, subscriber) = (try await world.device(), try await world.device())
        let publication = try await publisher.publish("hello")
        try await hear(subscriber, publication.token, age: .zero)
        #expect(try await details(world) == "ble -60")
        // A report that does not say it does not keep what was.
        try await subscriber.hear(publication.token)
        #expect(try await details(world) == nil)
    }

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
                    {"token":"\(token)","medium":"ble","rssi_dbm":-127,"age_s":0.25,"later":[]}]}
                    """)
            #expect(answer.status == .ok)
            let statuses = (answer["heard"] as? [[String: String]])?.compactMap { $0["status"] }
            #expect(statuses == ["VALID", "VALID", "INVALID", "VALID"])
            let metrics = world.service.metrics.text(gauges: [])
            for line in ["unknown\"} 2", "audio\"} 1", "ble\"} 1"] {
                #expect(metrics.contains("earshot_heard_total{medium=\"\(line)"))
            }
        }
    }

    @Test(arguments: [
        ("{\"medium\":\"ble\"}", 400), ("{\"token\":1}", 400), ("1", 400), ("[]", 400), ("null", 400),
        ("{\"token\":\"x\",\"rssi_dbm\":\"loud\"}", 400), ("{\"token\":\"x\",\"rssi_dbm\":-60.5}", 400),
        ("{\"token\":\"x\",\"age_s\":\"old\"}", 400), ("{\"token\":\"x\",\"age_s\":1e999}", 400),
        ("{\"token\":\"x\",\"rssi_dbm\":-128}", 422), ("{\"token\":\"x\",\"rssi_dbm\":21}", 422),
        ("{\"token\":\"x\",\"age_s\":-1}", 422), ("{\"token\":\"x\",\"age_s\":86401}", 422),
        ("{\"token\":\"x\",\"age_s\":1e300}", 422), ("{\"token\":\"x\",\"medium\":\"\"}", 422),
        ("{\"token\":\"x\",\"medium\":\"Bluetooth\"}", 422),
        ("{\"token\":\"x\",\"medium\":\"aaaaaaaaaaaaaaaaa\"}", 422),
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
