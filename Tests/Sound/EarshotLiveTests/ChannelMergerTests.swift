import EarshotCoding
import Testing

@testable import EarshotLive
@testable import EarshotModem

@Suite struct ChannelMergerTests {
    private static func frame(
        _ payload: String, at start: Int, snr: Float = 10, profile: String = "standard"
    ) throws -> ReceivedFrame {
        ReceivedFrame(
            payload: try Payload(hex: payload), profileName: profile, startSample: start, endSample: start + 49_152,
            offsetHertz: 0, snrDecibels: snr, pathMetric: 2)
    }

    /// The reports for blocks of frames, each with its channel; one block a second.
    private static func reports(_ blocks: [[(channel: Int, frame: ReceivedFrame)]]) -> [[Int]] {
        var merger = ChannelMerger()
        return blocks.enumerated().map { number, frames in
            for (channel, frame) in frames { merger.add(frame, channel: channel) }
            var reported: [Int] = []
            merger.finishBlock(endSample: 49_152 + 48_000 * number, sampleRateHertz: 48_000) { channel, _ in
                reported.append(channel)
            }
            return reported
        }
    }

    @Test func theBestChannelReportsTheFrame() throws {
        let frames = try [9, 12, 12, 3].enumerated().map { ($0, try Self.frame("cafe", at: 100 * $0, snr: $1)) }
        // Of two equal channels, the first reports the frame.
        #expect(Self.reports([frames]) == [[1]])
    }

    @Test func aSlowerChannelDoesNotReportItAgain() throws {
        let blocks = [[(0, try Self.frame("cafe", at: 0))], [(1, try Self.frame("cafe", at: 20, snr: 30))]]
        #expect(Self.reports(blocks) == [[0], []])
    }

    @Test func othersAreOthers() throws {
        let one = try Self.frame("cafe", at: 0)
        let others = [
            try Self.frame("beef", at: 0), try Self.frame("cafe", at: 0, profile: "far"),
            try Self.frame("cafe", at: one.endSample),
        ]
        for other in others {
            #expect(Self.reports([[(0, one), (1, other)]]) == [[0, 1]])
            #expect(Self.reports([[(0, one)], [(1, other)]]) == [[0], [1]])
        }
    }

    /// The memory is bounded: an old frame is forgotten, so a later one at the same place is new.
    @Test func memoryIsShort() throws {
        let frame = try Self.frame("cafe", at: 0)
        // The frame ended 0 s, then 1 s, then 2 s before the block's end; 1 s is remembered.
        #expect(Self.reports([[(0, frame)], [(0, frame)], [], [(0, frame)]]) == [[0], [], [], [0]])
    }
}
