import EarshotBasics
import NIOCore
import SimplePushKit
import SimplePushServer
import SimplePushTestSupport
import Testing

@Suite struct HostileTests {
    /// The server still works.
    private func expectHealthy(_ world: World, _ name: String = "healthy") async throws {
        let receiver = try await world.client("\(name)-b", .notification)
        let sender = try await world.client("\(name)-a", .control)
        try await sender.send(.text(OutgoingText(id: "health", to: "\(name)-b", text: "x")))
        #expect(try await receiver.text()?.id == "health")
    }

    @Test func nonsenseEndsItsLinkAlone() async throws {
        try await World.with { world in
            let ann = try await world.client("ann", .control)
            let nonsense: [[UInt8]] = [
                [0, 0, 0, 0], [255, 255, 255, 255], Array("GET / HTTP/1.1\r\n\r\n".utf8), [0x16, 3, 1, 2, 0, 1],
                [0, 0, 0, 2, 0x7B, 0x7D], [0, 0, 0, 1, 0],
            ]
            for bytes in nonsense {
                let raw = try await world.raw()
                await raw.write(bytes)
                #expect(await raw.isClosed(), "\(bytes)")
            }
            for json in [
                #"{"heartbeat":{}}"#, #"{"text":{"id":"1","to":"ann","text":"x"}}"#,
                #"{"register":{"version":2,"channel":"control","user":"ann","name":"A","key":"0123456789abcdef"}}"#,
                #"{"register":{"version":1,"channel":"control","user":"a b","name":"A","key":"0123456789abcdef"}}"#,
                #"{"register":{"version":1,"channel":"other","user":"ann","name":"A","key":"0123456789abcdef"}}"#,
            ] {
                let raw = try await world.raw()
                await raw.frame(json)
                #expect(await raw.isClosed(), "\(json)")
            }
            try await ann.send(.directory(DirectoryRequest()))
            #expect(try await ann.next() != nil)
            try await expectHealthy(world)
        }
    }

    /// Random bytes and random frames on many connections, before and after the registration.
    @Test(arguments: 0..<4) func randomBytesDoNotCrashIt(_ seed: UInt64) async throws {
        try await World.with {
            $0.frameBurst = 10_000
            $0.unregisteredCountPerAddress = 1_000
        } body: { world in
            var generator = SeededGenerator(seed: seed)
            let frames = [
                #"{"heartbeat":{}}"#, #"{"directory":{"after":"zz"}}"#,
                #"{"text":{"id":"1","to":"fuzz-1","text":"x"}}"#,
                #"{"invite":{"id":"c","to":"fuzz-2"}}"#, #"{"call":{"id":"c","action":"accept"}}"#,
                #"{"call":{"id":"c","action":"hangUp"}}"#, #"{"acknowledge":{"through":9223372036854775807}}"#,
                #"{"acknowledge":{"through":0}}"#,
            ]
            for number in 0..<60 {
                let raw = try await world.raw()
                if Bool.random(using: &generator) {
                    let channel = Bool.random(using: &generator) ? "control" : "notification"
                    await raw.frame(
                        #"{"register":{"version":1,"channel":"\#(channel)","user":"fuzz-\#(number % 5)","name":"F","key":"0123456789abcdef"}}"#
                    )
                }
                for _ in 0..<20 {
                    var bytes = Array((frames.randomElement(using: &generator) ?? "").utf8)
                    if Int.random(in: 0..<4, using: &generator) == 0 {
                        bytes[Int.random(in: 0..<bytes.count, using: &generator)] = .random(
                            in: 0...255, using: &generator)
                    }
                    let count = UInt32(bytes.count) + (Int.random(in: 0..<20, using: &generator) == 0 ? 3 : 0)
                    guard await raw.write(withUnsafeBytes(of: count.bigEndian, Array.init) + bytes) else { break }
                }
                raw.close()
            }
            try await expectHealthy(world)
        }
    }

    @Test func aClientThatSendsTooFastIsCut() async throws {
        try await World.with {
            $0.frameBurst = 20
            $0.framesPerSecond = 1
        } body: { world in
            let ann = try await world.client("ann", .control)
            for _ in 0..<40 { try? await ann.send(.heartbeat) }
            guard case .refused(let refusal)? = await ann.end() else { return #expect(Bool(false)) }
            #expect(refusal.code == .tooFast)
            try await expectHealthy(world)
        }
    }

    @Test func aClientThatDoesNotReadIsCut() async throws {
        try await World.with {
            $0.outgoingByteCount = 64 * 1_024
            $0.frameBurst = 1e6
            $0.userCount = 1_000
        } body: { world in
            for number in 0..<130 { try await world.client("user-\(number)", .control).close() }
            let raw = try await world.raw()
            try await raw.stopReading()
            await raw.frame(
                #"{"register":{"version":1,"channel":"control","user":"slow","name":"S","key":"0123456789abcdef"}}"#)
            // Each page has several kilobytes. The kernel's buffers take some megabytes of them.
            var wasCut = false
            for _ in 0..<20_000 where !wasCut {
                let json = Array(#"{"directory":{}}"#.utf8)
                wasCut = !(await raw.write([0, 0, 0, UInt8(json.count)] + json))
            }
            #expect(wasCut)
            try await expectHealthy(world)
        }
    }

    @Test func aClientThatDoesNotRegisterOrFallsSilentIsCut() async throws {
        try await World.with {
            $0.registrationSeconds = 0.3
            $0.heartbeatSeconds = 0.2
            $0.silenceSeconds = 0.6
        } body: { world in
            let stranger = try await world.raw()
            #expect(await stranger.isClosed())
            let silent = try await world.raw()
            await silent.frame(
                #"{"register":{"version":1,"channel":"control","user":"silent","name":"S","key":"0123456789abcdef"}}"#)
            #expect(await silent.isClosed())
            // A client that answers the heartbeats stays connected.
            let ann = try await world.client("ann", .control)
            try await Task.sleep(for: .seconds(2))
            try await ann.send(.directory(DirectoryRequest()))
            #expect(try await ann.next() != nil)
        }
    }

    @Test func strangersOfOneAddressTakeNoMoreThanTheirShare() async throws {
        try await World.with {
            $0.unregisteredCountPerAddress = 5
        } body: { world in
            var strangers: [RawClient] = []
            for _ in 0..<5 { strangers.append(try await world.raw()) }
            try await Task.sleep(for: .milliseconds(100))
            let surplus = try await world.raw()
            #expect(await surplus.isClosed())
            for stranger in strangers { stranger.close() }
            var isHealthy = false
            for _ in 0..<50 where !isHealthy {
                isHealthy = (try? await world.client("ann", .control)) != nil
                try await Task.sleep(for: .milliseconds(50))
            }
            #expect(isHealthy)
        }
    }

    @Test func aNewerLinkTakesThePlaceOfTheOld() async throws {
        try await World.with {
            $0.controlLinkCount = 2
        } body: { world in
            for channel in [PushChannel.notification, .control] {
                let old = try await world.client("ann", channel)
                if channel == .control { _ = try await world.client("ann", channel) }
                let new = try await world.client("ann", channel)
                guard case .refused(let refusal)? = await old.end() else { return #expect(Bool(false)) }
                #expect(refusal.code == .replaced)
                try await new.send(.heartbeat)
            }
        }
    }
}
