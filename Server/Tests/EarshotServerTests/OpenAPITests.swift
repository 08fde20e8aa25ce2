import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import NearbyWire
import Testing

@testable import EarshotServer

/// Compares the document with the server: the same paths, methods and keys.
@Suite struct OpenAPITests {
    private let document: [String: Any]

    init() throws {
        let object = try JSONSerialization.jsonObject(with: Data(OpenAPI.document.utf8))
        document = try #require(object as? [String: Any])
    }

    @Test func everyRouteAndNoOther() async throws {
        var documented: Set<String> = []
        for (path, item) in try #require(document["paths"] as? [String: [String: Any]]) {
            for method in item.keys where method != "parameters" { documented.insert("\(method) \(path)") }
        }
        let world = try World()
        let endpoints = API(service: world.service).endpoints.map { "\($0.method.rawValue.lowercased()) \($0.path)" }
        #expect(Set(endpoints) == documented)
        #expect(endpoints.count == documented.count)
    }

    @Test func everyReferenceLeadsSomewhere() throws {
        func visit(_ value: Any) throws {
            if let object = value as? [String: Any] {
                if let reference = object["$ref"] as? String { _ = try resolve(reference) }
                for member in object.values { try visit(member) }
            } else if let array = value as? [Any] {
                for element in array { try visit(element) }
            }
        }
        try visit(document)
    }

    /// Each path answers as the document states: it has the status, and the body has the keys of its schema.
    @Test func everyAnswer() async throws {
        let world = try World()
        let key = try await world.key()
        let ownerKey = Secret.newKey(.owner)
        _ = try await world.store.createKey(
            project: "ours", name: "", role: .owner, hash: Secret.hash(ownerKey))
        let answers = try await EarshotServer.application(world.service, logger: silent).test(.router) { client in
            let device = try await Caller(client, key: key)
            let publication = try await device.send(
                .post, "/v1/publications", ["content": "", "idempotency_key": "p"])
            let subscription = try await device.send(.post, "/v1/subscriptions", ["idempotency_key": "s"])
            let token = try #require((publication["token"] as? [String: Any])?["token"] as? String)
            let publicationID = try #require(publication["id"] as? String)
            let subscriptionID = try #require(subscription["id"] as? String)
            let heard: [String: Any] = ["token": token, "age_s": 0.5]
            let sightings: [String: Any] = ["heard": [token, heard], "lost": [token]]
            let owner = Caller(client, bearer: ownerKey)
            let beacon = BeaconIdentifier.numbered(1).text
            let namespace = try await owner.send(.post, "/v1/namespaces", ["namespace": "n"])
            let registered = try await owner.send(.post, "/v1/beacons", ["beacon": beacon])
            let attachments = "/v1/beacons/\(beacon)/attachments"
            let attached = try await owner.send(.post, attachments, ["data": "", "namespace": "n"])
            let attachmentID = try #require(attached["id"] as? String)
            let anonymous = Caller(client, bearer: nil)
            return [
                ("/healthz", "get", try await anonymous.send(.get, "/healthz")),
                ("/v1/openapi.json", "get", try await anonymous.send(.get, "/v1/openapi.json")),
                ("/v1/devices", "post", try await Caller(client, bearer: key).send(.post, "/v1/devices")),
                ("/v1/device", "get", try await device.send(.get, "/v1/device")),
                ("/v1/publications", "post", publication),
                (
                    "/v1/publications", "post",
                    try await device.send(.post, "/v1/publications", ["content": "", "idempotency_key": "p"])
                ),
                ("/v1/publications", "get", try await device.send(.get, "/v1/publications")),
                ("/v1/publications/{id}", "put", try await device.send(.put, "/v1/publications/\(publicationID)")),
                ("/v1/subscriptions", "post", subscription),
                (
                    "/v1/subscriptions", "post",
                    try await device.send(.post, "/v1/subscriptions", ["idempotency_key": "s"])
                ),
                ("/v1/subscriptions", "get", try await device.send(.get, "/v1/subscriptions")),
                ("/v1/subscriptions/{id}", "put", try await device.send(.put, "/v1/subscriptions/\(subscriptionID)")),
                ("/v1/sightings", "post", try await device.send(.post, "/v1/sightings", sightings)),
                ("/v1/lookups", "post", try await device.send(.post, "/v1/lookups", ["beacons": [beacon]])),
                ("/v1/namespaces", "post", namespace),
                ("/v1/namespaces", "post", try await owner.send(.post, "/v1/namespaces", ["namespace": "n"])),
                ("/v1/namespaces", "get", try await owner.send(.get, "/v1/namespaces")),
                (
                    "/v1/namespaces/{id}", "put",
                    try await owner.send(.put, "/v1/namespaces/n", ["visibility": "PUBLIC"])
                ),
                ("/v1/beacons", "post", registered),
                ("/v1/beacons", "post", try await owner.send(.post, "/v1/beacons", ["beacon": beacon])),
                ("/v1/beacons", "get", try await owner.send(.get, "/v1/beacons")),
                ("/v1/beacons/{id}", "get", try await owner.send(.get, "/v1/beacons/\(beacon)")),
                ("/v1/beacons/{id}/attachments", "post", attached),
                (
                    "/v1/beacons/{id}/attachments", "post",
                    try await owner.send(.post, attachments, ["data": "", "namespace": "n"])
                ),
                (
                    "/v1/attachments/{id}", "delete",
                    try await owner.send(.delete, "/v1/attachments/\(attachmentID)")
                ),
                ("/v1/beacons/{id}", "delete", try await owner.send(.delete, "/v1/beacons/\(beacon)")),
                ("/v1/namespaces/{id}", "delete", try await owner.send(.delete, "/v1/namespaces/n")),
                (
                    "/v1/publications/{id}", "delete",
                    try await device.send(.delete, "/v1/publications/\(publicationID)")
                ),
                (
                    "/v1/subscriptions/{id}", "delete",
                    try await device.send(.delete, "/v1/subscriptions/\(subscriptionID)")
                ),
                ("/v1/device", "delete", try await device.send(.delete, "/v1/device")),
                // An event stream does not end; this is its answer without a session.
                ("/v1/events", "get", try await anonymous.send(.get, "/v1/events")),
            ] as [(String, String, Answer)]
        }
        for (path, method, answer) in answers { try check(answer, path, method) }
        let endpoints = API(service: world.service).endpoints.map { "\($0.method.rawValue.lowercased()) \($0.path)" }
        #expect(Set(answers.map { "\($0.1) \($0.0)" }) == Set(endpoints))
    }

    /// No response of the document contains the data of events, so they are compared one by one.
    @Test func eventData() throws {
        let message = Message(namespace: "n", type: "t", content: Data([1]))
        let change = Change(sequence: 1, isFound: true, subscription: "s", publication: "p", message: message)
        for (body, schema) in [
            (try jsonData(ChangeBody(change)), "Change"), (try jsonData(ReadyBody(resumed: true)), "Ready"),
            (Data(Problem.badSession.body.utf8), "Problem"),
        ] {
            let value = try JSONSerialization.jsonObject(with: body)
            try compare(value, try resolve("#/components/schemas/\(schema)"), schema)
        }
    }

    private func check(_ answer: Answer, _ path: String, _ method: String) throws {
        let operation = try #require((document["paths"] as? [String: [String: Any]])?[path]?[method] as? [String: Any])
        let responses = try #require(operation["responses"] as? [String: [String: Any]])
        var response = responses["\(answer.status.code)"]
        if response == nil, answer.status.code >= 400 {
            response = try resolve(try #require(responses["default"]?["$ref"] as? String))
        }
        let content = try #require(response, "\(method) \(path): \(answer.status) is not in the document")["content"]
        guard let (type, body) = (content as? [String: [String: Any]])?.first else {
            #expect(answer.text.isEmpty, "\(method) \(path)")
            return
        }
        #expect(answer.headers[.contentType]?.hasPrefix(type) == true)
        guard type == "application/json", let schema = body["schema"] as? [String: Any] else { return }
        try compare(try #require(answer.json), schema, "\(method) \(path)")
    }

    /// Checks that the required keys are present, and that all keys are documented.
    private func compare(_ value: Any, _ schema: [String: Any], _ place: String) throws {
        if let reference = schema["$ref"] as? String { return try compare(value, try resolve(reference), place) }
        if let items = schema["items"] as? [String: Any] {
            for element in try #require(value as? [Any]) { try compare(element, items, place) }
        }
        guard let properties = schema["properties"] as? [String: [String: Any]] else { return }
        let object = try #require(value as? [String: Any])
        for key in schema["required"] as? [String] ?? [] {
            #expect(object[key] != nil, "\(place): '\(key)' is missing")
        }
        for (key, member) in object {
            try compare(member, try #require(properties[key], "\(place): '\(key)' is not documented"), place)
        }
    }

    private func resolve(_ reference: String) throws -> [String: Any] {
        var value: Any = document
        for part in reference.split(separator: "/").dropFirst() {
            value = try #require((value as? [String: Any])?[String(part)], "\(reference) leads nowhere")
        }
        return try #require(value as? [String: Any])
    }
}
