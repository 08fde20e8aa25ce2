import TestSupport
import Testing

@testable import EarshotModem

/// The first sync tones of a frame, and their difference from noise.
@Suite(.optimized) struct EarlySignTests {
    /// The end indices of the history at which the sign holds, block by block.
    private func signs(_ frame: NoisyFrame) -> [Int] {
        var search = ChannelSearch(frame.view.format, combining: 1, keptCount: 8_192, channelCount: 1)
        var noise = BandNoise(format: frame.view.format)
        var ends: [Int] = []
        let history = frame.histories[0]
        while search.frames.dueIndex <= history.endIndex {
            let due = search.frames.dueIndex
            _ = search.takeBlock(history, &noise)
            if search.hasSign(endIndex: due) { ends.append(due) }
        }
        return ends
    }

    /// The sign appears within 18 symbols of a frame's start, and is gone after its end.
    @Test(arguments: Profile.all) func aFrameIsNoticed(profile: Profile) throws {
        let length = BasebandFormat(profile: profile).samplesPerSymbol
        for seed in 110...114 as ClosedRange<UInt64> {
            let frame = try NoisyFrame(profile, snrDecibels: 3, seed: seed)
            let ends = signs(frame)
            let start = Int(frame.place.start)
            let first = try #require(ends.first { $0 > start }, "seed \(seed)")
            #expect(first - start <= 18 * length, "seed \(seed)")
            #expect(ends.allSatisfy { $0 - start < 52 * length }, "seed \(seed)")
        }
    }

    /// Four tones of noise are hardly ever as loud: once in several minutes.
    @Test(arguments: Profile.all) func noiseIsNot(profile: Profile) throws {
        for seed in 115...117 as ClosedRange<UInt64> {
            #expect(signs(try NoisyFrame(profile, snrDecibels: 3, isFrame: false, seed: seed)).isEmpty, "seed \(seed)")
        }
    }

    /// The sign moves with the indices.
    @Test func rewindingMovesTheSign() throws {
        let frame = try NoisyFrame(.standard, snrDecibels: 3, seed: 110)
        var search = ChannelSearch(frame.view.format, combining: 1, keptCount: 8_192, channelCount: 1)
        var noise = BandNoise(format: frame.view.format)
        while search.frames.dueIndex <= frame.histories.endIndex {
            _ = search.takeBlock(frame.histories[0], &noise)
        }
        let end = Int(frame.place.start) + 30 * frame.view.format.samplesPerSymbol
        let (before, behind) = (search.hasSign(endIndex: end), search.hasSign(endIndex: end + 256))
        search.rewind(blockCount: 1)
        let moved = search.hasSign(endIndex: end - 512)
        let late = search.hasSign(endIndex: end)
        #expect(before && !behind && moved && !late)
    }
}
