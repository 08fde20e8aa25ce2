import Foundation
import NearbyWire
import Testing

/// The JSON of client and service. The tests of both compare it with requests, answers and the OpenAPI document. The
/// tests here check fields that one side omits and the other must accept.
@Suite struct ServiceBodiesTests {
    private static func json(_ value: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(value), as: UTF8.self)
    }

    private static func read<Body: Decodable>(_ text: String, as _: Body.Type = Body.self) throws -> Body {
        try JSONDecoder().decode(Body.self, from: Data(text.utf8))
    }

    @Test func absentValuesAreNotWritten() throws {
        let listed = RegistrationBody(
            id: "i", namespace: "n", type: "t", contentBytes: nil, expiresInSeconds: 3, token: nil)
        #expect(try Self.json(listed) == #"{"expires_in_s":3,"id":"i","namespace":"n","type":"t"}"#)
        #expect(try Self.json(HeardBody(token: "0123456789abcdef")) == #"{"token":"0123456789abcdef"}"#)
        let order = SubscriptionOrderBody(namespace: "n", type: "", timeToLive: .seconds(300), idempotencyKey: "k")
        #expect(try Self.json(order) == #"{"idempotency_key":"k","namespace":"n","ttl_s":300,"type":""}"#)
    }

    @Test func aClientNeedsOnlyWhatItUses() throws {
        #expect(try Self.read(#"{"session":"s"}"#, as: SessionBody.self).session == "s")
        #expect(try Self.read(#"{"id":"i","expires_in_s":3}"#, as: RegistrationBody.self).id == "i")
        #expect(try Self.read(#"{"problem":{"code":"c"}}"#, as: ProblemBody.self).problem.code == "c")
        let answer = try Self.read(#"{"heard":[{"token":"t","status":"NEW"}]}"#, as: SightingsAnswerBody.self)
        #expect(answer.heard.map(\.status) == ["NEW"] && answer.lost == nil)
    }

    @Test func aHeardTokenIsATextOrAnObject() throws {
        let body = try Self.read(
            #"{"heard":["a",{"token":"b","medium":"ble","rssi_dbm":-61,"age_s":1.5}]}"#, as: SightingsBody.self)
        let detailed = HeardBody(token: "b", ageSeconds: 1.5)
        #expect(body.heard == [HeardBody(token: "a"), detailed] && body.lost == nil)
        #expect(throws: DecodingError.self) { try Self.read("[1]", as: [HeardBody].self) }
    }

    @Test(arguments: [("60", 60), ("60.0", 60), ("-9", -1), ("2000000000000", 1 << 40)])
    func secondsAreWholeAndBounded(text: String, seconds: Int) throws {
        #expect(try Self.read("[\(text)]", as: [WholeSeconds].self).map(\.duration) == [.seconds(seconds)])
    }

    @Test func otherSecondsAreRefused() {
        for text in ["1.5", "\"1\"", "true"] {
            #expect(throws: DecodingError.self) { try Self.read("[\(text)]", as: [WholeSeconds].self) }
        }
    }

    @Test func aBeaconIsItsText() throws {
        let text = "ibeacon:f7826da6-4fa2-4e98-8024-bc5b71e0893e:1:65535"
        let body = LookUpBody(beacons: [try BeaconIdentifier(text: text)], namespace: "", type: "t")
        #expect(try Self.json(body) == #"{"beacons":["\#(text)"],"namespace":"","type":"t"}"#)
        #expect(try Self.read(#"{"beacons":["\#(text)"]}"#, as: LookUpBody.self).beacons == body.beacons)
        #expect(throws: BeaconTextError.unknownKind) { try Self.read(#"["moo"]"#, as: [BeaconIdentifier].self) }
    }
}
