import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1

/// Reads server-sent events as a client does.
struct EventReader {
    struct Event: Equatable {
        var id: String?
        var name = ""
        var data = ""

        /// The content of the message that was found or lost.
        var text: String? {
            (message?["content"] as? String).flatMap { Data(base64Encoded: $0) }.map {
                String(decoding: $0, as: UTF8.self)
            }
        }

        /// The wrapped keys of the message, in base64, by the identifiers of their tokens.
        var keys: [String: String] {
            let keys = message?["keys"] as? [[String: String]] ?? []
            return Dictionary(uniqueKeysWithValues: keys.map { ($0["token"] ?? "", $0["key"] ?? "") })
        }

        private var message: [String: Any]? {
            let object = try? JSONSerialization.jsonObject(with: Data(data.utf8)) as? [String: Any]
            return object?["message"] as? [String: Any]
        }
    }

    struct NoStream: Error {
        let status: Int
    }

    private var body: HTTPClientResponse.Body.AsyncIterator
    private var buffer = ""

    init(_ base: String, bearer: String, lastEventID: String? = nil, client: HTTPClient = .shared) async throws {
        var request = HTTPClientRequest(url: "\(base)/v1/events")
        request.headers.add(name: "Authorization", value: "Bearer \(bearer)")
        if let lastEventID { request.headers.add(name: "Last-Event-ID", value: lastEventID) }
        let response = try await client.execute(request, timeout: .seconds(60))
        guard response.status == .ok, response.headers["content-type"] == ["text/event-stream"] else {
            throw NoStream(status: Int(response.status.code))
        }
        body = response.body.makeAsyncIterator()
    }

    /// The next event, without comments; nil at the end.
    mutating func next() async throws -> Event? {
        while true {
            if let end = buffer.range(of: "\n\n") {
                let block = buffer[..<end.lowerBound]
                let event = Self.event(block)
                buffer = String(buffer[end.upperBound...])
                if let event { return event }
                continue
            }
            guard let part = try await body.next() else { return nil }
            buffer += String(buffer: part)
        }
    }

    private static func event(_ block: Substring) -> Event? {
        var event = Event()
        for line in block.split(separator: "\n") where !line.hasPrefix(":") {
            let (name, value) = (line.prefix { $0 != ":" }, line.drop { $0 != ":" }.dropFirst(2))
            switch name {
            case "id": event.id = String(value)
            case "event": event.name = String(value)
            case "data": event.data += value
            default: break
            }
        }
        return event.name.isEmpty ? nil : event
    }
}
