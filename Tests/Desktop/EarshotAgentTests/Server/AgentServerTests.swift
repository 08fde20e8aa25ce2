import EarshotBasics
import EarshotMessages
import Foundation
import Glibc
import MessagesTestSupport
import NearbyWire
import TestSupport
import Testing

@testable import EarshotAgent

/// Programs that violate the protocol.
@Suite(.apart, .serialized) struct AgentServerTests {
    private let home: Home

    init() throws {
        home = try Home()
        try home.install("app")
    }

    @Test func onlyTheOwnerCanUseTheSocket() throws {
        let agent = try home.agent(Air(), FakeService())
        let attributes = try FileManager.default.attributesOfItem(atPath: home.socket)
        #expect(attributes[.posixPermissions] as? Int == 0o600)
        withExtendedLifetime(agent) {}
    }

    /// The kernel names the user of a connection. Here the agent expects another user.
    @Test func anotherUserIsRefused() async throws {
        try FileManager.default.createDirectory(atPath: "\(home.path)/run", withIntermediateDirectories: true)
        let (events, input) = AsyncStream.makeStream(of: Supervisor.Input.self)
        let lines = Lines()
        let server = AgentServer(
            AgentSocket.listen(path: home.socket), user: getuid() + 1, input: input, log: { lines.add($0) })
        server.start()
        let socket = home.socket
        try await onThread {
            let client = try? RawClient(socket, app: "app")
            #expect(client?.isEnded() ?? true)
        }
        #expect(await eventually { lines.all == ["refused a connection of another user (\(getuid()))"] })
        server.close()
        input.finish()
        for await _ in events { Issue.record("no frame of another user may arrive") }
    }

    @Test func whatIsNoFrameEndsTheConnection() async throws {
        let agent = try home.agent(Air(), FakeService())
        let socket = home.socket
        try await onThread {
            #expect(try RawClient(socket, app: "app", version: 2).isEnded(), "another version")
            let garbage: [Data] = [
                Data([0xFF, 0xFF, 0xFF, 0xFF]), Data([0, 0, 0, 2]) + Data("{}".utf8), Data([0, 0, 0, 1, 0x7B]),
                Data([0, 0, 0, 12]) + Data(#"{"unknown":1}"#.utf8.prefix(12)),
            ]
            for bytes in garbage {
                let client = try RawClient(socket, app: "app")
                try client.send(bytes)
                #expect(client.isEnded())
            }
            let flood = try RawClient(socket, app: "app")
            #expect(throws: RawClient.Silence.self) {
                for _ in 0..<100_000 { try flood.send(.situation(ClientFrame.Situation(isForeground: true))) }
            }
            _ = try RawClient(socket, app: nil).overview()
        }
        withExtendedLifetime(agent) {}
    }

    @Test func seededGarbageDoesNoHarm() async throws {
        let agent = try home.agent(Air(), FakeService())
        let socket = home.socket
        try await onThread {
            var random = SeededGenerator(seed: 18)
            for _ in 0..<300 {
                let client = try RawClient(socket, app: random.next(2) == 0 ? "app" : nil)
                var bytes = Data()
                let frames: [ClientFrame] = [
                    .hold(ClientFrame.Hold(Home.subscription(), known: ["a"])), .release(ClientFrame.Name("x")),
                    .acknowledge(ClientFrame.Acknowledgement("x", sequence: .max)),
                ]
                for frame in frames { bytes += try #require(AgentProtocol.encode(frame)) }
                for _ in 0..<random.next(6) { bytes[random.next(bytes.count)] = UInt8(random.next(256)) }
                try? client.send(bytes)
            }
            let overview = try RawClient(socket, app: nil).overview()
            #expect(overview.apps.flatMap(\.operations).count <= AppState.maximumOperationCount)
        }
        withExtendedLifetime(agent) {}
    }

    @Test func operationsAndClientsAreLimited() async throws {
        let agent = try home.agent(Air(), FakeService())
        let socket = home.socket
        try await onThread {
            let client = try RawClient(socket, app: "app")
            for number in 0..<AppState.maximumOperationCount {
                #expect(try client.hold(Home.publication("\(number)")) == nil)
            }
            #expect(try client.hold(Home.publication("more"))?.contains("the maximum") == true)
            var clients: [RawClient] = []
            for _ in 1..<Supervisor.maximumClientCount { clients.append(try RawClient(socket, app: nil)) }
            #expect(try clients.last?.overview() != nil)
            #expect((try? RawClient(socket, app: nil).overview()) == nil)
        }
        withExtendedLifetime(agent) {}
    }
}
