import Foundation
import NearbyWire
import Testing

@Suite struct ProviderFrameTests {
    private static let frames: [ProviderFrame] = [
        .started(ProviderFrame.Started()), .started(ProviderFrame.Started(error: "no server")), .stopped,
        .unmatchEthernet,
        .report(ProviderFrame.Report(id: "1", kind: .call, userInfo: .dictionary(["a": .data(Data([1]))]))),
        .notify(ProviderFrame.Notify(id: "1", identifier: "x", title: "t", body: "b")),
    ]

    private static func body(_ frame: some Encodable) throws -> Data {
        Data(try #require(AgentProtocol.encode(frame)).dropFirst(AgentProtocol.lengthByteCount))
    }

    @Test(arguments: frames) func framesSurvive(frame: ProviderFrame) throws {
        let back = AgentProtocol.decode(try Self.body(frame), as: ProviderFrame.self)
        #expect(back == frame)
    }

    @Test func exactlyOnePartIsAFrame() {
        for text in ["{}", #"{"unknown":{}}"#, #"{"stopped":{},"unmatchEthernet":{}}"#, "[]", "1", ""] {
            let frame = AgentProtocol.decode(Data(text.utf8), as: ProviderFrame.self)
            #expect(frame == nil, "\(text)")
        }
        for text in ["{}", #"{"stop":{"reason":1},"answer":{"id":"1"}}"#] {
            #expect(AgentProtocol.decode(Data(text.utf8), as: ProviderOrder.self) == nil, "\(text)")
        }
    }

    @Test func seededGarbageDoesNoHarm() throws {
        var state: UInt64 = 7
        func next(_ count: Int) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int((state >> 33) % UInt64(count))
        }
        let bodies = try Self.frames.map { try Self.body($0) }
        for _ in 0..<20_000 {
            var bytes = bodies[next(bodies.count)]
            for _ in 0...next(3) { bytes[next(bytes.count)] = UInt8(next(256)) }
            _ = AgentProtocol.decode(bytes, as: ProviderFrame.self)
        }
    }
}
