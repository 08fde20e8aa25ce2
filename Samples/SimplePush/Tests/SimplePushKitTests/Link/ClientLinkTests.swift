import NIOCore
import NIOEmbedded
import SimplePushKit
import Testing

/// The client's end of a link on a channel without a network, with a clock that the test moves.
@Suite struct ClientLinkTests {
    private let address = ServerAddress(host: "server")
    private let registration = Registration(
        channel: .notification, user: "ann", name: "Ann", key: "abcdefghijklmnopqrst")

    private func open() throws -> (EmbeddedChannel, LinkState) {
        let channel = EmbeddedChannel()
        let state = LinkState()
        try PushLink.addHandlers(
            to: channel.pipeline.syncOperations, registration: registration, address: address, silenceSeconds: 30,
            state: state)
        channel.connect(to: try SocketAddress(ipAddress: "127.0.0.1", port: 1), promise: nil)
        return (channel, state)
    }

    private func sent(_ channel: EmbeddedChannel) throws -> ClientFrame? {
        guard var bytes = try channel.readOutbound(as: ByteBuffer.self) else { return nil }
        bytes.moveReaderIndex(forwardBy: 4)
        return try WireFormat.clientFrame(bytes)
    }

    @Test func itRegistersFirstAndAnswersHeartbeats() async throws {
        let (channel, state) = try open()
        #expect(try sent(channel) == .register(registration))
        try channel.writeInbound(
            WireFormat.bytes(.registered(Registered(heartbeatSeconds: 10, timeoutSeconds: 30))))
        #expect(try await state.registered().heartbeatSeconds == 10)
        #expect(try sent(channel) == nil)
        try channel.writeInbound(WireFormat.bytes(ServerFrame.heartbeat))
        #expect(try sent(channel) == .heartbeat)
    }

    @Test func itGivesUpAfterThirtySecondsOfSilenceAndNotBefore() async throws {
        let (channel, state) = try open()
        try channel.writeInbound(
            WireFormat.bytes(.registered(Registered(heartbeatSeconds: 10, timeoutSeconds: 30))))
        // An hour with a heartbeat every 10 s, and then 29 s with none.
        for _ in 0..<360 {
            channel.embeddedEventLoop.advanceTime(by: .seconds(10))
            try channel.writeInbound(WireFormat.bytes(ServerFrame.heartbeat))
        }
        channel.embeddedEventLoop.advanceTime(by: .seconds(29))
        #expect(channel.isActive)
        channel.embeddedEventLoop.advanceTime(by: .seconds(1))
        #expect(!channel.isActive)
        await #expect(throws: LinkFailure.silent(30)) { for try await _ in state.frames {} }
    }

    @Test func aRefusalOfTheLinkEndsItAndOneOfATextDoesNot() async throws {
        let (channel, state) = try open()
        let ofText = Refusal(.unknownUser, "There is no user ben.", id: "1")
        try channel.writeInbound(WireFormat.bytes(.refusal(ofText)))
        #expect(channel.isActive)
        let ofLink = Refusal(.wrongKey, "The name is taken.")
        try channel.writeInbound(WireFormat.bytes(.refusal(ofLink)))
        #expect(!channel.isActive)
        await #expect(throws: LinkFailure.refused(ofLink)) { try await state.registered() }
        var frames = state.frames.makeAsyncIterator()
        #expect(try await frames.next() == .refusal(ofText))
    }

    @Test func aServerThatSpeaksTLSIsExplained() async throws {
        let (channel, state) = try open()
        // A TLS alert: the server could not read our first frame.
        _ = try? channel.writeInbound(ByteBuffer(bytes: [0x15, 3, 1, 0, 2, 2, 50]))
        #expect(!channel.isActive)
        await #expect(throws: LinkFailure.onlyTLS(address)) { try await state.registered() }
    }

    @Test func whatIsNoFrameEndsTheLink() async throws {
        for json in ["{}", "[1]", #"{"text":{}}"#] {
            let (channel, state) = try open()
            var bytes = ByteBuffer()
            bytes.writeInteger(UInt32(json.utf8.count))
            bytes.writeString(json)
            try channel.writeInbound(bytes)
            #expect(!channel.isActive, "\(json)")
            await #expect(throws: LinkFailure.self) { try await state.registered() }
        }
    }
}

@Suite struct ReconnectPausesTests {
    @Test func pausesDoubleUpToTheLongestAndBeginAgain() {
        var pauses = ReconnectPauses()
        let sequence = (0..<8).map { _ in pauses.pause(after: .closed) }
        for (pause, expected) in zip(sequence, [0.25, 0.5, 1, 2, 3, 3, 3, 3]) {
            #expect((0.8 * expected...expected).contains(pause))
        }
        pauses.succeed()
        #expect(pauses.pause(after: .closed) <= 0.25)
    }

    @Test func aFailureThatNeedsHelpWaitsLonger() {
        var pauses = ReconnectPauses()
        #expect(pauses.pause(after: .wrongSecret(ServerAddress(host: "x"))) >= 24)
        #expect(pauses.pause(after: .refused(Refusal(.wrongKey, "."))) >= 24)
        #expect(pauses.pause(after: .refused(Refusal(.ending, "."))) <= 0.25)
    }
}
