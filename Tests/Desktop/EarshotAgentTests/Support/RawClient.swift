import EarshotMessages
import Foundation
import Glibc
import NearbyWire

/// A program that speaks the protocol directly, with blocking calls.
final class RawClient {
    /// The agent ended the connection, or sent nothing in time.
    struct Silence: Error {}

    private let descriptor: CInt
    private var reader = FrameReader()
    private var frames: [AgentFrame] = []

    /// Connects as soon as the agent listens.
    init(_ path: String, app: String?, version: Int = AgentProtocol.version, attempts: Int = 3_000) throws {
        var descriptor: CInt = -1
        for _ in 0..<attempts where descriptor < 0 {
            descriptor = AgentSocket.connect(path: path)
            if descriptor < 0 { usleep(10_000) }
        }
        guard descriptor >= 0 else { throw Silence() }
        self.descriptor = descriptor
        var limit = timeval(tv_sec: 30, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        try send(.hello(ClientFrame.Hello(version: version, app: app)))
    }

    deinit { close(descriptor) }

    func send(_ frame: ClientFrame) throws {
        guard let bytes = AgentProtocol.encode(frame) else { throw Silence() }
        try send(bytes)
    }

    func send(_ bytes: Data) throws {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.send(descriptor, $0.baseAddress, $0.count, CInt(MSG_NOSIGNAL)) }
            guard count > 0 else { throw Silence() }
            rest = rest.dropFirst(count)
        }
    }

    /// The next frame.
    func next() throws -> AgentFrame {
        while frames.isEmpty {
            var buffer = [UInt8](repeating: 0, count: 65_536)
            let count = recv(descriptor, &buffer, buffer.count, 0)
            guard count > 0, let bodies = try? reader.take(buffer[..<count]) else { throw Silence() }
            frames += bodies.compactMap { AgentProtocol.decode($0) }
        }
        return frames.removeFirst()
    }

    /// Reads until `pick` returns a value for a frame.
    func wait<Result>(_ pick: (AgentFrame) -> Result?) throws -> Result {
        while true {
            if let result = pick(try next()) { return result }
        }
    }

    /// Ends the connection, and waits until the agent knows it: until then, the agent counts what this connection holds as wanted.
    func end() {
        _ = shutdown(descriptor, CInt(SHUT_WR))
        _ = isEnded()
    }

    /// Whether the agent ends the connection, after any frames.
    func isEnded() -> Bool {
        for _ in 0..<1_000 {
            do { _ = try next() } catch { return true }
        }
        return false
    }

    /// Holds an operation.
    /// - Returns: nil if the agent holds it; otherwise its refusal.
    func hold(_ operation: BackgroundOperation, known: [String] = []) throws -> String? {
        try send(.hold(ClientFrame.Hold(operation, known: known)))
        return try wait { frame -> String?? in
            switch frame {
            case .held(let name) where name.id == operation.id: .some(nil)
            case .refusal(let refusal): .some(refusal.sentence)
            default: nil
            }
        }
    }

    func release(_ id: String) throws {
        try send(.release(ClientFrame.Name(id)))
        try wait { frame -> Void? in
            if case .released(let name) = frame, name.id == id { () } else { nil }
        }
    }

    func overview() throws -> AgentOverview {
        try send(.request(ClientFrame.Request(.overview)))
        return try wait { frame in if case .overview(let overview) = frame { overview } else { nil } }
    }

    /// The next event of any operation.
    func event() throws -> (AgentFrame.Events, AgentEvent) {
        try wait { frame in
            if case .events(let events) = frame, let event = events.events.first { (events, event) } else { nil }
        }
    }
}
