import Glibc
import NIOCore
import NIOPosix
import Testing

@testable import EarshotServer

@Suite struct ReservedPortTests {
    /// No other socket gets the port between its reservation and the listener, which then gets it.
    @Test(arguments: ["127.0.0.1", "::1"]) func nobodyElseGetsIt(_ host: String) async throws {
        let port = try ReservedPort(host, 0)
        #expect(port.number > 0)
        let group = MultiThreadedEventLoopGroup.singleton
        let stranger = await #expect(throws: IOError.self) {
            try await ServerBootstrap(group: group)
                .serverChannelOption(.socketOption(.so_reuseaddr), value: 0).bind(host: host, port: port.number).get()
        }
        #expect(stranger?.errnoCode == EADDRINUSE)
        let listener = try await ServerBootstrap(group: group)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1).bind(host: host, port: port.number).get()
        let client = try await ClientBootstrap(group: group).connect(host: host, port: port.number).get()
        try await client.close()
        try await listener.close()
    }

    /// However many sockets ask for any free port, none gets this one.
    @Test func theSystemAvoidsIt() async throws {
        let port = try ReservedPort("127.0.0.1", 0)
        var listeners: [any Channel] = []
        for _ in 0..<500 {
            listeners.append(
                try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
                    .serverChannelOption(.socketOption(.so_reuseaddr), value: 1).bind(host: "127.0.0.1", port: 0).get())
        }
        let taken = listeners.compactMap(\.localAddress?.port)
        for listener in listeners { try await listener.close() }
        #expect(taken.count == 500 && !taken.contains(port.number))
    }

    @Test func theOperatorsPortIsTakenAsItIs() throws {
        #expect(try ReservedPort("127.0.0.1", 6_400).number == 6_400)
    }

    @Test func noSuchAddress() {
        let error = #expect(throws: AdministrationError.self) { try ReservedPort("192.0.2.1", 0) }
        #expect(error?.description == "no port is free for other nodes at 192.0.2.1 (--node-host)")
    }
}
