import FoundationEssentials
import HTTPTypes
import Hummingbird
import NIOCore
import NearbyWire

/// A method and a path with their handler.
struct Endpoint: Sendable {
    let method: HTTPRequest.Method
    /// The path with its parameters in braces, as in OpenAPI.
    let path: String
    /// Whether pages may send it, with a browser key or its session.
    var isForBrowsers = false
    let answer: @Sendable (Request, ServiceContext) async throws -> Response

    init(
        _ method: HTTPRequest.Method, _ path: String,
        _ answer: @escaping @Sendable (Request, ServiceContext) async throws -> Response
    ) {
        self.method = method
        self.path = path
        self.answer = answer
    }

    /// The same endpoint, open to pages too.
    var forBrowsers: Endpoint {
        var endpoint = self
        endpoint.isForBrowsers = true
        return endpoint
    }

    /// Whether a request's path matches this one.
    func has(path other: String) -> Bool {
        func parts(_ path: String) -> [Substring] { path.split(separator: "/", omittingEmptySubsequences: false) }
        let (own, other) = (parts(path), parts(other))
        return own.count == other.count && zip(own, other).allSatisfy { $0 == $1 || $0.hasPrefix("{") }
    }
}

extension Request {
    /// Checks the headers on which a proxy and this service could disagree: the request's host, and the length of its
    /// body.
    ///
    /// The library takes the first Host as the authority, and leaves further ones in the headers.
    func requireClearFraming() throws {
        guard head.authority?.isEmpty == false, !headers.contains(where: { $0.name.canonicalName == "host" }) else {
            throw Problem.badHost
        }
        guard headers[.transferEncoding].map({ $0.lowercased() == "chunked" }) ?? true else {
            throw Problem.badTransferEncoding
        }
    }

    /// The text after `Authorization: Bearer`.
    func bearer() throws -> String {
        let value = headers[.authorization] ?? ""
        let scheme = "bearer "
        guard value.count > scheme.count, value.prefix(scheme.count).lowercased() == scheme else {
            throw Problem.noCredentials
        }
        return String(value.dropFirst(scheme.count))
    }

    /// The complete body.
    func body(upTo limit: Int) async throws -> ByteBuffer {
        if let length = headers[.contentLength].flatMap(Int.init), length > limit {
            throw Problem.bodyTooLarge(limit: limit)
        }
        do {
            return try await body.collect(upTo: limit)
        } catch is NIOTooManyBytesError {
            throw Problem.bodyTooLarge(limit: limit)
        }
    }

    /// Decodes the body. An empty body counts as an empty object.
    func decode<Body: Decodable>(_ type: Body.Type, upTo limit: Int) async throws -> Body {
        let buffer = try await body(upTo: limit)
        let data = buffer.readableBytes == 0 ? Data("{}".utf8) : Data(buffer.readableBytesView)
        do {
            return try JSONDecoder().decode(Body.self, from: data)
        } catch let error as DecodingError {
            throw Problem.badBody(error.explanation)
        } catch let error as BeaconTextError {
            throw Problem.badBeacon(error)
        }
    }
}

extension Response {
    static func json(_ body: some Encodable, status: HTTPResponse.Status = .ok) throws -> Response {
        json(ByteBuffer(bytes: try jsonData(body)), status: status)
    }

    /// A body that is JSON already.
    static func json(_ body: ByteBuffer, status: HTTPResponse.Status = .ok) -> Response {
        Response(
            status: status, headers: [.contentType: "application/json", .cacheControl: "no-store"],
            body: ResponseBody(byteBuffer: body))
    }

    static func text(_ text: String, type: String) -> Response {
        Response(
            status: .ok, headers: [.contentType: type, .cacheControl: "no-store"],
            body: ResponseBody(byteBuffer: ByteBuffer(string: text)))
    }

    static let nothing = Response(status: .noContent)
}

/// JSON with sorted keys, so that answers can be compared.
func jsonData(_ body: some Encodable) throws -> Data {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return try encoder.encode(body)
}

extension DecodingError {
    /// The position of the error and the expected type, without the client's data, which must not be logged.
    fileprivate var explanation: String {
        func at(_ path: [any CodingKey]) -> String {
            path.isEmpty ? "at the top" : "at '\(path.map(\.stringValue).joined(separator: "."))'"
        }
        func name(_ type: Any.Type) -> String {
            switch type {
            case is WholeSeconds.Type: "a whole number of seconds"
            case is Int.Type: "a whole number"
            case is Double.Type: "a number"
            case is String.Type: "a text"
            case is Data.Type: "a text in base64"
            case is [Any].Type: "a list"
            case is Visibility.Type: "UNLISTED or PUBLIC"
            default: "an object"
            }
        }
        return switch self {
        case .keyNotFound(let key, let context):
            "'\(key.stringValue)' is missing \(at(context.codingPath))."
        case .typeMismatch(let type, let context): "\(name(type)) is expected \(at(context.codingPath))."
        case .valueNotFound(let type, let context): "\(name(type)) is expected \(at(context.codingPath))."
        case .dataCorrupted(let context):
            if context.codingPath.isEmpty {
                "it is not JSON."
            } else if context.debugDescription.contains("Base64") {
                "a text in base64 is expected \(at(context.codingPath))."
            } else {
                "the value \(at(context.codingPath)) is none of those that it may have."
            }
        @unknown default: "it cannot be read."
        }
    }
}
