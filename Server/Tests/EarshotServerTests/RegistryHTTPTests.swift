import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import NearbyWire
import Testing

@testable import EarshotServer

/// Beacons over HTTP: the owner's requests, the devices' questions, and the rights of keys.
@Suite struct RegistryHTTPTests {
    private let beacon = "eddystone:00112233445566778899:aabbccddeeff"

    private func withClient(
        _ adjust: (inout ServiceLimits) -> Void = { _ in },
        _ body: @escaping @Sendable (any TestClientProtocol, World) async throws -> Void
    ) async throws {
        let world = try World(.sqlite, adjust)
        let application = EarshotServer.application(world.service, logger: silent)
        try await application.test(.router) { client in try await body(client, world) }
    }

    private func owner(
        _ client: any TestClientProtocol, _ world: World, _ project: String = "ours"
    ) async throws -> Caller {
        _ = try await world.project(project)
        let key = Secret.newKey(.owner)
        _ = try await world.store.createKey(project: project, name: "", role: .owner, hash: Secret.hash(key))
        return Caller(client, bearer: key)
    }

    @Test func fromRegisteringToTheMessage() async throws {
        try await withClient { [beacon] client, world in
            let owner = try await owner(client, world)
            let registered = try await owner.send(
                .post, "/v1/beacons", ["beacon": beacon.uppercased(), "note": "door"])
            #expect(registered.status == .created && registered["beacon"] as? String == beacon)
            #expect(try await owner.send(.post, "/v1/beacons", ["beacon": beacon]).status == .ok)
            let path = "/v1/beacons/\(beacon)/attachments"
            let order = ["type": "greeting", "data": Data("hello".utf8).base64EncodedString()]
            let attached = try await owner.send(.post, path, order)
            #expect(attached.status == .created)
            let id = try #require(attached["id"] as? String)
            let again = try await owner.send(.post, path, order)
            #expect(again.status == .ok && again["id"] as? String == id)

            let device = try await Caller(client, key: try await world.key())
            let answer = try await device.send(
                .post, "/v1/lookups", ["beacons": [BeaconIdentifier.numbered(1).text, beacon]])
            #expect(answer.status == .ok)
            #expect(
                answer.text == """
                    {"attachments":[{"beacon":"\(beacon)","data":"aGVsbG8=","id":"\(id)","namespace":"","type":"greeting"}]}
                    """)
            #expect(
                try await device.send(.post, "/v1/lookups", ["beacons": [beacon], "type": "other"]).text
                    == "{\"attachments\":[]}")

            // Clients may escape the colons.
            let escaped = beacon.replacing(":", with: "%3A")
            let shown = try await owner.send(.get, "/v1/beacons/\(escaped)")
            #expect(shown.status == .ok && (shown["attachments"] as? [Any])?.count == 1)
            let list = try await owner.send(.get, "/v1/beacons")
            #expect((list["beacons"] as? [Any])?.count == 1 && list["next"] == nil)
            #expect(try await owner.send(.delete, "/v1/attachments/\(id)").status == .noContent)
            #expect(try await owner.send(.delete, "/v1/attachments/\(id)").code == "no_such_attachment")
            #expect(try await owner.send(.delete, "/v1/beacons/\(beacon)").status == .noContent)
            #expect(try await owner.send(.get, "/v1/beacons/\(beacon)").code == "no_such_beacon")
        }
    }

    /// The answers about an unregistered beacon and about a beacon of another project have the same bytes.
    @Test func anotherProjectSeesNothing() async throws {
        try await withClient { [beacon] client, world in
            let (ours, theirs) = (try await owner(client, world), try await owner(client, world, "theirs"))
            for (name, visibility) in [("hidden", "UNLISTED"), ("open", "PUBLIC")] {
                let created = try await ours.send(
                    .post, "/v1/namespaces", ["namespace": name, "visibility": visibility])
                #expect(created.status == .created && created["visibility"] as? String == visibility)
            }
            _ = try await ours.send(.post, "/v1/beacons", ["beacon": beacon])
            for name in ["", "hidden", "open"] {
                let attached = try await ours.send(
                    .post, "/v1/beacons/\(beacon)/attachments", ["namespace": name, "data": "aGVsbG8="])
                #expect(attached.status == .created)
            }
            let device = try await Caller(client, key: try await world.key("theirs"))
            func ask(_ beacon: String, _ namespace: String) async throws -> String {
                let question: [String: Any] = ["beacons": [beacon], "namespace": namespace]
                return try await device.send(.post, "/v1/lookups", question).text
            }
            let unknown = try await ask(BeaconIdentifier.numbered(1).text, "hidden")
            #expect(try await ask(beacon, "hidden") == unknown && unknown == "{\"attachments\":[]}")
            #expect(try await ask(beacon, "") == unknown)
            #expect(try await ask(beacon, "missing") == unknown)
            #expect(try await ask(beacon, "open").contains("aGVsbG8="))

            // The other owner gets no more.
            #expect(try await theirs.send(.post, "/v1/beacons", ["beacon": beacon]).code == "beacon_taken")
            #expect(try await theirs.send(.post, "/v1/namespaces", ["namespace": "open"]).code == "namespace_taken")
            #expect(
                try await theirs.send(.put, "/v1/namespaces/hidden", ["visibility": "PUBLIC"]).code
                    == "no_such_namespace")
            #expect(try await theirs.send(.delete, "/v1/beacons/\(beacon)").code == "no_such_beacon")
            #expect(try await theirs.send(.get, "/v1/beacons").text == "{\"beacons\":[]}")
            #expect(try await ours.send(.delete, "/v1/namespaces/open").code == "namespace_in_use")
            #expect(
                try await ours.send(.put, "/v1/namespaces/open", ["visibility": "UNLISTED"])["visibility"] as? String
                    == "UNLISTED")
            #expect(try await ask(beacon, "open") == unknown)
        }
    }

    @Test func ownersAndDevicesHaveDifferentRights() async throws {
        try await withClient { [beacon] client, world in
            let owner = try await owner(client, world)
            let refused = try await owner.send(.post, "/v1/devices")
            #expect(refused.status == .forbidden && refused.code == "not_device_key")
            #expect(try await owner.send(.post, "/v1/lookups", ["beacons": [beacon]]).code == "bad_session")

            let key = try await world.key()
            let session = try await Caller(client, key: key)
            for (method, path) in [
                (.post, "/v1/beacons"), (.get, "/v1/beacons"), (.get, "/v1/beacons/\(beacon)"),
                (.delete, "/v1/beacons/\(beacon)"), (.post, "/v1/beacons/\(beacon)/attachments"),
                (.delete, "/v1/attachments/x"), (.post, "/v1/namespaces"), (.get, "/v1/namespaces"),
                (.put, "/v1/namespaces/n"), (.delete, "/v1/namespaces/n"),
            ] as [(HTTPRequest.Method, String)] {
                let byKey = try await Caller(client, bearer: key).send(method, path, [:])
                #expect(byKey.status == .forbidden && byKey.code == "not_owner", "\(method) \(path)")
                #expect(try await session.send(method, path, [:]).code == "bad_key", "\(method) \(path)")
                #expect(try await Caller(client, bearer: nil).send(method, path, [:]).code == "no_credentials")
            }
            // A revoked key is refused at once.
            let own = try #require(try await world.store.keys(project: "ours").first { $0.role == .owner })
            _ = try await world.store.revokeKey(id: own.id)
            #expect(try await owner.send(.get, "/v1/beacons").code == "bad_key")
        }
    }

    @Test func mistakes() async throws {
        try await withClient { [beacon] client, world in
            let owner = try await owner(client, world)
            let device = try await Caller(client, key: try await world.key())
            let wrong = try await owner.send(.post, "/v1/beacons", ["beacon": "eddystone:0:1"])
            #expect(wrong.status == .badRequest && wrong.code == "bad_beacon")
            #expect(wrong.problem("message").contains("20 hexadecimal digits"))
            #expect(try await owner.send(.get, "/v1/beacons/moo").code == "bad_beacon")
            #expect(try await owner.send(.get, "/v1/beacons?after=moo").code == "bad_beacon")
            #expect(try await owner.send(.post, "/v1/beacons", [:]).code == "bad_body")
            let secret = try await owner.send(.post, "/v1/namespaces", ["namespace": "n", "visibility": "SECRET"])
            #expect(secret.code == "bad_body")
            #expect(secret.problem("message").contains("UNLISTED or PUBLIC is expected at 'visibility'"), "\(secret)")
            for (name, reason) in [
                ("a/b", "characters other than letters"), (String(repeating: "n", count: 999), "has 999 characters"),
            ] {
                let refused = try await owner.send(.post, "/v1/namespaces", ["namespace": name])
                #expect(refused.code == "out_of_range" && refused.problem("message").contains(reason), "\(refused)")
            }
            #expect(
                try await owner.send(.post, "/v1/beacons/\(beacon)/attachments", ["data": "aGVsbG8="]).code
                    == "no_such_beacon")
            _ = try await owner.send(.post, "/v1/beacons", ["beacon": beacon])
            let text = try await owner.send(.post, "/v1/beacons/\(beacon)/attachments", ["data": "é"])
            #expect(text.problem("message").contains("a text in base64 is expected at 'data'"), "\(text)")
            let large = Data(count: 1_025).base64EncodedString()
            #expect(
                try await owner.send(.post, "/v1/beacons/\(beacon)/attachments", ["data": large]).code
                    == "out_of_range")
            #expect(try await device.send(.post, "/v1/lookups", ["beacons": ["moo"]]).code == "bad_beacon")
            #expect(try await device.send(.post, "/v1/lookups", ["beacons": "moo"]).code == "bad_body")
            let many = (0..<51).map { BeaconIdentifier.numbered($0).text }
            #expect(try await device.send(.post, "/v1/lookups", ["beacons": many]).code == "out_of_range")
        }
    }

    @Test func pagesOverHTTP() async throws {
        try await withClient({ $0.beaconsPerPage = 2 }) { client, world in
            let owner = try await owner(client, world)
            for number in 1...5 {
                _ = try await owner.send(.post, "/v1/beacons", ["beacon": BeaconIdentifier.numbered(number).text])
            }
            var seen: [String] = []
            var next: String?
            repeat {
                let page = try await owner.send(.get, "/v1/beacons" + (next.map { "?after=\($0)" } ?? ""))
                let beacons = try #require(page["beacons"] as? [[String: Any]])
                #expect(beacons.count <= 2)
                seen += beacons.compactMap { $0["beacon"] as? String }
                next = page["next"] as? String
            } while next != nil
            #expect(seen == (1...5).map { BeaconIdentifier.numbered($0).text })
        }
    }

    @Test func ratesCountOwnersAndQuestions() async throws {
        try await withClient({ $0.requestsPerDevice = RateLimit(perSecond: 1, burst: 5) }) { [beacon] client, world in
            let owner = try await owner(client, world)
            let device = try await Caller(client, key: try await world.key())
            for _ in 0..<5 {
                #expect(try await owner.send(.get, "/v1/beacons").status == .ok)
                #expect(try await device.send(.post, "/v1/lookups", ["beacons": [beacon]]).status == .ok)
            }
            #expect(try await owner.send(.get, "/v1/beacons").code == "rate_limited")
            #expect(try await device.send(.post, "/v1/lookups", ["beacons": [beacon]]).code == "rate_limited")
        }
    }

    @Test func metricsTellNothingAboutABeacon() async throws {
        try await withClient { [beacon] client, world in
            try await world.attach("secret", to: try BeaconIdentifier(text: beacon))
            let device = try await Caller(client, key: try await world.key("theirs"))
            _ = try await device.send(.post, "/v1/lookups", ["beacons": [beacon, BeaconIdentifier.numbered(1).text]])
            let text = try await world.service.metricsText()
            // Both queries count as `nothing`, because the device gets no attachment.
            #expect(text.contains("earshot_lookups_total{result=\"nothing\"} 2"))
            #expect(!text.contains("result=\"attachments\""))
        }
    }

    @Test func aPathOfAttachmentsHasItsMethods() async throws {
        try await withClient { [beacon] client, world in
            let owner = try await owner(client, world)
            let wrong = try await owner.send(.put, "/v1/beacons/\(beacon)/attachments", [:])
            #expect(wrong.status == .methodNotAllowed && wrong.headers[.allow] == "POST")
        }
    }
}
