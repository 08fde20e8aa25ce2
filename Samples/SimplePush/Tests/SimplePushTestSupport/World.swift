import Foundation
import Logging
package import NIOCore
import NIOPosix
package import SimplePushKit
package import SimplePushServer

/// A server in this process, with a database of its own, and its clients.
package final class World: Sendable {
    package static let secret = "a secret of the tests 0123456789"
    package let folder: String
    package let server: PushServer
    package let security: PushSecurity
    package var group: any EventLoopGroup { MultiThreadedEventLoopGroup.singleton }

    private init(_ folder: String, _ server: PushServer, _ security: PushSecurity) {
        self.folder = folder
        self.server = server
        self.security = security
    }

    /// Runs a body with a server, and removes everything afterwards.
    package static func with(
        isSecure: Bool = false, _ change: (inout ServerLimits) -> Void = { _ in },
        body: (World) async throws -> Void
    ) async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("push-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: folder) }
        var limits = ServerLimits()
        change(&limits)
        let security: PushSecurity = isSecure ? .sharedSecret(try SharedSecret(secret)) : .insecure
        let world = try await start(folder, limits, security)
        do {
            try await body(world)
        } catch {
            await world.server.stop()
            throw error
        }
        await world.server.stop()
    }

    private static func start(_ folder: String, _ limits: ServerLimits, _ security: PushSecurity) async throws -> World
    {
        var options = ServerOptions(security: security, databasePath: folder + "/push.sqlite")
        options.address = ServerAddress(host: "127.0.0.1", port: 0)
        options.limits = limits
        var log = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        log.logLevel = .critical
        return World(folder, try await PushServer.start(options, log: log), security)
    }

    package func client(
        _ user: String, _ channel: PushChannel, key: String? = nil, security: PushSecurity? = nil,
        times: PushLink.Times = PushLink.Times()
    ) async throws -> TestClient {
        let registration = Registration(
            channel: channel, user: user, name: "Name of \(user)", key: key ?? "key-of-\(user)-0123456789")
        return TestClient(
            try await PushLink.open(
                to: server.address, as: registration, security: security ?? self.security, times: times, on: group))
    }

    /// A connection on which a test sends any bytes.
    package func raw() async throws -> RawClient { try await RawClient.connect(server.address, group) }
}

/// A link whose frames a test takes one by one.
package final class TestClient: Sendable {
    package let link: PushLink
    private let frames: FrameQueue

    package init(_ link: PushLink) {
        self.link = link
        frames = FrameQueue(link)
    }

    package func send(_ frame: ClientFrame) async throws { try await link.send(frame) }

    /// The next frame; nil if none comes for a while.
    package func next(seconds: Double = 20) async throws -> ServerFrame? { try await frames.next(seconds: seconds) }

    /// The next text.
    package func text() async throws -> DeliveredText? {
        guard case .text(let text)? = try await next() else { return nil }
        return text
    }

    /// The next state of a call.
    package func call() async throws -> CallState? {
        guard case .call(let call)? = try await next() else { return nil }
        return call
    }

    /// The reason why the link ended.
    package func end(seconds: Double = 20) async -> LinkFailure? {
        do {
            while try await next(seconds: seconds) != nil {}
            return nil
        } catch {
            return error as? LinkFailure
        }
    }

    package func close() { link.close() }
}

/// Frames that wait for a test.
actor FrameQueue {
    private var frames: [ServerFrame] = []
    private var failure: LinkFailure?
    private var task: Task<Void, Never>?

    init(_ link: PushLink) {
        Task {
            do {
                for try await frame in link.frames { await self.add(frame) }
            } catch {
                await self.end(error as? LinkFailure ?? .closed)
            }
        }
    }

    private func add(_ frame: ServerFrame) { frames.append(frame) }
    private func end(_ failure: LinkFailure) { self.failure = failure }

    func next(seconds: Double) async throws -> ServerFrame? {
        let end = ContinuousClock.now + .seconds(seconds)
        while frames.isEmpty {
            if let failure { throw failure }
            if ContinuousClock.now > end { return nil }
            try await Task.sleep(for: .milliseconds(2))
        }
        return frames.removeFirst()
    }
}

/// A TCP connection that sends any bytes and follows no protocol.
package final class RawClient: Sendable {
    private let channel: any Channel

    private init(_ channel: any Channel) { self.channel = channel }

    static func connect(_ address: ServerAddress, _ group: any EventLoopGroup) async throws -> RawClient {
        let channel = try await ClientBootstrap(group: group)
            .connect(host: address.host, port: address.port).get()
        return RawClient(channel)
    }

    /// - Returns: false if the server has closed the connection.
    @discardableResult
    package func write(_ bytes: [UInt8]) async -> Bool {
        (try? await channel.writeAndFlush(ByteBuffer(bytes: bytes))) != nil
    }

    package func frame(_ json: String) async {
        let count = UInt32(json.utf8.count)
        await write(withUnsafeBytes(of: count.bigEndian, Array.init) + Array(json.utf8))
    }

    /// Stops reading.
    package func stopReading() async throws { try await channel.setOption(.autoRead, value: false).get() }

    package func close() { channel.close(promise: nil) }

    /// Whether the server closes the connection within a time.
    package func isClosed(seconds: Double = 20) async -> Bool {
        let end = ContinuousClock.now + .seconds(seconds)
        while channel.isActive {
            if ContinuousClock.now > end { return false }
            try? await Task.sleep(for: .milliseconds(5))
        }
        return true
    }
}
