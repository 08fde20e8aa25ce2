import EarshotBasics
import Foundation
import NIOCore
import NIOEmbedded
import SimplePushKit
import Testing

@Suite struct WireFormatTests {
    private let key = "abcdefghijklmnopqrstuvwxyz"

    private var clientFrames: [ClientFrame] {
        [
            .register(Registration(channel: .notification, user: "ann", name: "Ann \"A\" Ä", key: key)), .heartbeat,
            .directory(DirectoryRequest()), .directory(DirectoryRequest(after: "ann")),
            .text(OutgoingText(id: "1", to: "ben", text: "Dinner?\n\u{1F37D}")),
            .invite(OutgoingInvitation(id: "c1", to: "ben")), .call(CallRequest(id: "c1", action: .accept)),
            .acknowledge(Acknowledgement(through: 7)),
        ]
    }

    private var serverFrames: [ServerFrame] {
        [
            .registered(Registered(heartbeatSeconds: 10, timeoutSeconds: 30)),
            .refusal(Refusal(.full, "Too much.", id: "1")), .heartbeat,
            .directory(DirectoryPage(users: [.init(id: "ann", name: "Ann", isHere: true)], hasMore: false)),
            .accepted(Accepted(id: "1", isHere: false)),
            .text(DeliveredText(sequence: 1, id: "1", from: "ann", fromName: "Ann", text: "Hi", sentAt: 1.5)),
            .invitation(Invitation(sequence: 2, id: "c", from: "ann", fromName: "Ann", sentAt: 2, isMissed: true)),
            .call(
                CallState(id: "c", peer: "ann", peerName: "Ann", isOutgoing: false, phase: .ended, end: .declined)),
        ]
    }

    private func body(_ bytes: ByteBuffer) -> ByteBuffer {
        var bytes = bytes
        #expect(bytes.readInteger(as: UInt32.self) == UInt32(bytes.readableBytes))
        return bytes
    }

    @Test func framesComeBackAsTheyWere() throws {
        for frame in clientFrames {
            #expect(try WireFormat.clientFrame(body(WireFormat.bytes(frame))) == frame)
        }
        for frame in serverFrames {
            #expect(try WireFormat.serverFrame(body(WireFormat.bytes(frame))) == frame)
        }
    }

    /// The bytes of the README.
    @Test func theBytesAreThoseOfTheDocumentation() throws {
        let bytes = try WireFormat.bytes(ClientFrame.call(CallRequest(id: "c1", action: .hangUp)))
        let text = String(decoding: bytes.readableBytesView.dropFirst(4), as: UTF8.self)
        #expect(Array(bytes.readableBytesView.prefix(4)) == [0, 0, 0, UInt8(text.utf8.count)])
        let value = try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: [String: String]])
        #expect(value == ["call": ["id": "c1", "action": "hangUp"]])
    }

    @Test func valuesOutsideTheirLimitsAreRefused() {
        let long = String(repeating: "x", count: 65)
        let refused: [ClientFrame] = [
            .text(OutgoingText(id: "", to: "ben", text: "x")), .text(OutgoingText(id: long, to: "ben", text: "x")),
            .text(OutgoingText(id: "1", to: "b n", text: "x")), .text(OutgoingText(id: "1", to: "ben", text: "")),
            .text(OutgoingText(id: "1", to: "ben", text: String(repeating: "x", count: 4_001))),
            .invite(OutgoingInvitation(id: "ä", to: "ben")), .call(CallRequest(id: "a/b", action: .accept)),
            .acknowledge(Acknowledgement(through: -1)), .directory(DirectoryRequest(after: "")),
            .register(Registration(channel: .control, user: "ann", name: "a\nb", key: key)),
            .register(Registration(channel: .control, user: "ann", name: "", key: key)),
            .register(Registration(channel: .control, user: "ann", name: "Ann", key: "short")),
            .register(
                Registration(channel: .control, user: "ann", name: String(repeating: "x", count: 129), key: key)),
        ]
        for frame in refused {
            #expect(throws: WireError.self, "\(frame)") { try WireFormat.bytes(frame) }
        }
        let largest = ClientFrame.text(OutgoingText(id: "1", to: "ben", text: String(repeating: "x", count: 4_000)))
        #expect(throws: Never.self) { try WireFormat.bytes(largest) }
    }

    @Test(arguments: [
        "", "{}", "[]", "null", "1", "\"heartbeat\"", #"{"nonsense":{}}"#, #"{"heartbeat":{},"text":{}}"#,
        #"{"heartbeat":1}"#, #"{"text":{"id":"1","to":"ben"}}"#, #"{"text":{"id":1,"to":"ben","text":"x"}}"#,
        #"{"call":{"id":"1","action":"explode"}}"#, #"{"acknowledge":{"through":1e99}}"#, "{\"heartbeat\":{}", "\u{0}",
    ])
    func otherJSONIsRefused(_ json: String) {
        #expect(throws: WireError.self) { try WireFormat.clientFrame(ByteBuffer(string: json)) }
    }

    @Test func deepNestingIsRefusedAndDoesNotCrash() {
        for opening in ["[", "{\"heartbeat\":"] {
            let count = WireFormat.maximumClientByteCount / opening.utf8.count
            let buffer = ByteBuffer(string: String(repeating: opening, count: count))
            #expect(throws: WireError.self) { try WireFormat.clientFrame(buffer) }
        }
    }

    /// Cut, changed and random frames give a frame or an error, never a crash. The seed makes a failure repeatable.
    @Test(arguments: 0..<8) func anyBytesGiveAFrameOrAnError(_ seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let valid = try clientFrames.map { Array(body(try WireFormat.bytes($0)).readableBytesView) }
        var frameCount = 0
        for _ in 0..<4_000 {
            var bytes = valid.randomElement(using: &generator) ?? []
            switch Int.random(in: 0..<4, using: &generator) {
            case 0: bytes = Array(bytes.prefix(Int.random(in: 0...bytes.count, using: &generator)))
            case 1:
                for _ in 0..<Int.random(in: 1...4, using: &generator) {
                    bytes[Int.random(in: 0..<bytes.count, using: &generator)] = .random(in: 0...255, using: &generator)
                }
            case 2:
                let other = valid.randomElement(using: &generator) ?? []
                bytes.insert(contentsOf: other, at: Int.random(in: 0...bytes.count, using: &generator))
            default:
                bytes = (0..<Int.random(in: 0...200, using: &generator)).map { _ in
                    .random(in: 0...255, using: &generator)
                }
            }
            if let frame = try? WireFormat.clientFrame(ByteBuffer(bytes: bytes)) {
                frameCount += 1
                // An accepted frame is within the limits, so it can be sent again.
                #expect(throws: Never.self) { try WireFormat.bytes(frame) }
            }
            _ = try? WireFormat.serverFrame(ByteBuffer(bytes: bytes))
        }
        #expect(frameCount > 0, "At least one changed frame must be valid, or this test tests nothing.")
    }
}

@Suite struct FrameDecoderTests {
    private func channel() throws -> EmbeddedChannel {
        let channel = EmbeddedChannel()
        try channel.pipeline.syncOperations.addHandler(ByteToMessageHandler(FrameDecoder(maximumByteCount: 100)))
        return channel
    }

    @Test(arguments: 0..<20) func anySplitGivesTheSameFrames(_ seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        var stream = ByteBuffer()
        let contents = (1...30).map { String(repeating: "x", count: min($0 * 3, 100)) }
        for content in contents {
            stream.writeInteger(UInt32(content.utf8.count))
            stream.writeString(content)
        }
        let channel = try channel()
        while stream.readableBytes > 0 {
            let count = min(stream.readableBytes, Int.random(in: 1...40, using: &generator))
            let slice = stream.readSlice(length: count)
            let part = try #require(slice)
            try channel.writeInbound(part)
        }
        var read: [String] = []
        while let frame = try channel.readInbound(as: ByteBuffer.self) { read.append(String(buffer: frame)) }
        #expect(read == contents)
    }

    @Test(arguments: [UInt32(0), 101, 0x1603_0100, .max])
    func aLengthOutsideTheLimitsIsRefusedBeforeItsBytesCome(_ length: UInt32) throws {
        let channel = try channel()
        var buffer = ByteBuffer()
        buffer.writeInteger(length)
        #expect(throws: WireError.length(Int(length), limit: 100)) { try channel.writeInbound(buffer) }
    }

    @Test func aCutFrameIsDroppedAtTheEnd() throws {
        let channel = try channel()
        try channel.writeInbound(ByteBuffer(bytes: [0, 0, 0, 5, 1, 2]))
        _ = try channel.finish(acceptAlreadyClosed: true)
        #expect(try channel.readInbound(as: ByteBuffer.self) == nil)
    }
}
