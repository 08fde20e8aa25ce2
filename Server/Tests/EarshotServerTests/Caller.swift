import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Logging
import NIOCore

/// Logs nothing.
let silent = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

/// A client that sends requests, with a session, a key or no credentials.
struct Caller: Sendable {
    let client: any TestClientProtocol
    let bearer: String?
    /// The additional headers of each request.
    let headers: HTTPFields

    init(_ client: any TestClientProtocol, bearer: String?, _ headers: HTTPFields = [:]) {
        self.client = client
        self.bearer = bearer
        self.headers = headers
    }

    /// A device with a session.
    init(_ client: any TestClientProtocol, key: String, _ headers: HTTPFields = [:]) async throws {
        let opened = try await Caller(client, bearer: key, headers).send(.post, "/v1/devices")
        self.init(client, bearer: opened["session"] as? String, headers)
    }

    func send(_ method: HTTPRequest.Method, _ path: String, _ body: [String: Any]? = nil) async throws -> Answer {
        let data = try body.map { try JSONSerialization.data(withJSONObject: $0) }
        return try await send(method, path, raw: data.map { String(decoding: $0, as: UTF8.self) })
    }

    func send(_ method: HTTPRequest.Method, _ path: String, raw: String?) async throws -> Answer {
        try await send(method, path, bytes: raw.map { ByteBuffer(string: $0) })
    }

    func send(_ method: HTTPRequest.Method, _ path: String, bytes: ByteBuffer?) async throws -> Answer {
        var headers = headers
        if let bearer { headers[.authorization] = "Bearer \(bearer)" }
        let response = try await client.executeRequest(
            uri: path, method: method, headers: headers, body: bytes)
        return Answer(
            status: response.status, headers: response.headers, text: String(buffer: response.body))
    }
}

struct Answer: Sendable {
    let status: HTTPResponse.Status
    let headers: HTTPFields
    let text: String

    var json: Any? { try? JSONSerialization.jsonObject(with: Data(text.utf8)) }

    subscript(key: String) -> Any? { (json as? [String: Any])?[key] }

    var code: String { problem("code") }

    func problem(_ key: String) -> String { (self["problem"] as? [String: Any])?[key] as? String ?? "" }
}
