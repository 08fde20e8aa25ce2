import EarshotBasics
import EarshotMessages
import Foundation
import NearbyWire
import Testing

/// Frames from bytes of other processes.
@Suite struct FrameReaderTests {
    private static let frames: [ClientFrame] = [
        .hello(ClientFrame.Hello(app: "org.example.app")),
        .hold(
            ClientFrame.Hold(
                BackgroundOperation(
                    key: "key", service: "http://127.0.0.1:8787", content: Data(repeating: 7, count: 300), type: "type"),
                known: ["a", "b"])),
        .release(ClientFrame.Name("publication-1")), .acknowledge(ClientFrame.Acknowledgement("a", sequence: 3)),
        .situation(ClientFrame.Situation(isForeground: true)), .request(ClientFrame.Request(.stop, app: "app")),
    ]

    @Test func anyPiecesGiveTheSameFrames() throws {
        let stream = try Self.frames.reduce(into: Data()) { $0 += try #require(AgentProtocol.encode($1)) }
        var chance = SeededGenerator(seed: 18)
        for _ in 0..<200 {
            var reader = FrameReader()
            var rest = stream[...]
            var frames: [ClientFrame] = []
            while !rest.isEmpty {
                let count = Int.random(in: 0...40, using: &chance)
                frames += try reader.take(rest.prefix(count)).compactMap { AgentProtocol.decode($0) }
                rest = rest.dropFirst(count)
            }
            #expect(frames == Self.frames)
            #expect(reader.pendingByteCount == 0)
        }
    }

    @Test func aMessageOfMaximumSizeFits() throws {
        let content = Data(repeating: 0xFF, count: Message.maximumContentCount)
        let operation = BackgroundOperation(key: "key", service: "http://a", content: content)
        let known = (0..<200).map { "\($0)-0123456789abcdef0123456789abcdef" }
        #expect(AgentProtocol.encode(ClientFrame.hold(ClientFrame.Hold(operation, known: known))) != nil)
        let received = ReceivedMessage(message: Message(content: content), isAuthenticated: true, id: "id")
        let events = AgentFrame.Events(id: "id", sequence: 1, events: [.found(AgentMessage(received))])
        #expect(AgentProtocol.encode(AgentFrame.events(events)) != nil)
    }

    @Test(arguments: [[0, 0, 0, 0], [0, 4, 0, 1], [0xFF, 0xFF, 0xFF, 0xFF]] as [[UInt8]])
    func invalidLengthsAreRefused(length: [UInt8]) {
        var reader = FrameReader()
        #expect(throws: FrameReader.Invalid.self) { try reader.take(length) }
    }

    /// Bytes that are nearly right: the reader neither crashes nor keeps more than a frame.
    @Test(arguments: [1, 2, 3] as [UInt64]) func mutationsDoNoHarm(seed: UInt64) throws {
        let stream = try Self.frames.reduce(into: Data()) { $0 += try #require(AgentProtocol.encode($1)) }
        var chance = SeededGenerator(seed: seed)
        var decodedCount = 0
        for _ in 0..<2_000 {
            var bytes = [UInt8](stream)
            for _ in 0..<Int.random(in: 1...8, using: &chance) {
                let place = Int.random(in: 0...(bytes.count - 1), using: &chance)
                switch Int.random(in: 0...3, using: &chance) {
                case 0: bytes[place] = UInt8(Int.random(in: 0...255, using: &chance))
                case 1: bytes.remove(at: place)
                case 2: bytes.insert(UInt8(Int.random(in: 0...255, using: &chance)), at: place)
                default: bytes.swapAt(place, Int.random(in: 0...(bytes.count - 1), using: &chance))
                }
            }
            var reader = FrameReader()
            do throws(FrameReader.Invalid) {
                for body in try reader.take(bytes) {
                    guard let frame = AgentProtocol.decode(body, as: ClientFrame.self) else { continue }
                    decodedCount += 1
                    if case .hold(let hold) = frame { _ = hold.operation.flaw }
                }
            } catch {}
            #expect(reader.pendingByteCount <= AgentProtocol.maximumFrameByteCount + AgentProtocol.lengthByteCount)
        }
        #expect(decodedCount > 500, "seed \(seed): the mutations leave many frames whole")
    }
}
