import Dispatch
package import Foundation
import Glibc
import Synchronization

/// An HTTP server on loopback that sends exactly the bytes of a test.
package final class ScriptedServer: Sendable {
    /// A request that the server received.
    package struct Request: Sendable {
        /// The number of its connection, in the order in which connections began.
        package var connection: Int
        package var line: String
        /// The headers by lower-case name.
        package var headers: [String: String]
        package var body: Data

        /// Whether it only opens a connection.
        package var isOpening: Bool { line.hasPrefix("HEAD ") }
    }

    /// A step of an answer. After the last step the server closes the connection.
    package enum Step: Sendable {
        /// Answers the connection's next request.
        case next
        case send(String)
        case pause(milliseconds: UInt32)
        /// Sends the same bytes repeatedly, with a pause between, until the client stops reading.
        case flood(Data, pauseMilliseconds: UInt32)
        /// Sends nothing until the client closes.
        case hang
    }

    package let port: UInt16
    private let listener: Int32
    private let state = Mutex((requests: [Request](), hangUps: 0, connectionCount: 0))
    private let answer: @Sendable (Request) -> [Step]

    /// - Parameter answer: returns the steps for a request.
    package init(_ answer: @escaping @Sendable (Request) -> [Step]) throws {
        self.answer = answer
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isReady = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, length) == 0 && listen(descriptor, 16) == 0
                    && getsockname(descriptor, $0, &length) == 0
            }
        }
        guard isReady else { throw POSIXError(.EADDRINUSE) }
        listener = descriptor
        port = UInt16(bigEndian: address.sin_port)
        Thread.detachNewThread { [weak self, descriptor] in
            defer { close(descriptor) }
            while true {
                let connection = accept(descriptor, nil, nil)
                guard connection >= 0 else { return }
                guard let server = self else {
                    close(connection)
                    return
                }
                Thread.detachNewThread { server.serve(connection) }
            }
        }
    }

    // The listener's thread closes the descriptor. If it were closed here, the thread could accept connections of the next
    // descriptor with the same number.
    deinit { shutdown(listener, Int32(SHUT_RDWR)) }

    package var url: String { "http://127.0.0.1:\(port)" }
    package var requests: [Request] { state.withLock { $0.requests } }
    /// How often the client closed during `hang` or `flood`.
    package var hangUps: Int { state.withLock { $0.hangUps } }

    /// An answer with a body, usually JSON.
    package static func answer(_ status: Int, _ body: String = "", headers: String = "") -> [Step] {
        [
            .send(
                "HTTP/1.1 \(status) X\r\nContent-Length: \(body.utf8.count)\r\nConnection: close\r\n\(headers)\r\n\(body)"
            )
        ]
    }

    /// The answer to the short request with which the client opens the connection of its event stream.
    package static var opening: [Step] { [.send("HTTP/1.1 405 X\r\nContent-Length: 0\r\n\r\n"), .next] }

    private func serve(_ connection: Int32) {
        defer { close(connection) }
        let number = state.withLock { state in
            state.connectionCount += 1
            return state.connectionCount
        }
        while serveNext(connection, number) {}
    }

    /// - Returns: whether the connection continues.
    private func serveNext(_ connection: Int32, _ number: Int) -> Bool {
        guard let request = read(connection, number) else { return false }
        state.withLock { $0.requests.append(request) }
        for step in answer(request) {
            switch step {
            case .next: return true
            case .send(let text): guard send(Data(text.utf8), to: connection) else { return false }
            case .pause(let milliseconds): usleep(milliseconds * 1_000)
            case .flood(let data, let pause):
                while send(data, to: connection) { usleep(pause * 1_000) }
                state.withLock { $0.hangUps += 1 }
                return false
            case .hang:
                var byte: UInt8 = 0
                _ = recv(connection, &byte, 1, 0)
                state.withLock { $0.hangUps += 1 }
                return false
            }
        }
        return false
    }

    private func send(_ data: Data, to connection: Int32) -> Bool {
        var rest = data[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes {
                Glibc.send(connection, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }

    private func read(_ connection: Int32, _ number: Int) -> Request? {
        var content = Data()
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            if let end = content.range(of: Data("\r\n\r\n".utf8)) {
                let lines = String(decoding: content[..<end.lowerBound], as: UTF8.self)
                    .components(separatedBy: "\r\n")
                var headers: [String: String] = [:]
                for line in lines.dropFirst() {
                    let parts = line.split(separator: ":", maxSplits: 1).map { $0.trimmingCharacters(in: .whitespaces) }
                    headers[parts[0].lowercased()] = parts.count > 1 ? parts[1] : ""
                }
                let body = content[end.upperBound...]
                if body.count >= headers["content-length"].flatMap({ Int($0) }) ?? 0 {
                    return Request(connection: number, line: lines[0], headers: headers, body: Data(body))
                }
            }
            let count = recv(connection, &buffer, buffer.count, 0)
            guard count > 0 else { return nil }
            content.append(contentsOf: buffer[..<count])
        }
    }
}
