import EarshotDSP
import TestSupport
import Testing

@testable import EarshotModem

/// The search of one channel and its noise advance together.
@Suite(.optimized) struct ChannelSearchTests {
    /// Every block that the search scores has passed through the noise, a restart scores the same blocks again, and
    /// repeats are searched only on request.
    @Test func theSearchAndItsNoiseGoOnTogether() {
        let format = BasebandFormat(profile: .standard)
        var search = ChannelSearch(format, combining: 1, keptCount: 8_192, channelCount: 1)
        var noise = BandNoise(format: format)
        let combining = ChannelSearch(format, combining: 2, keptCount: 8_192, channelCount: 1)
        let (isAlone, isCombining) = (search.bursts == nil, combining.bursts != nil)
        #expect(isAlone && isCombining)
        let history = BasebandHistory(keptCount: 16_384)
        history.append(BasebandScene(count: 12_000, snrDecibels: 0, seed: 41).samples, 0..<12_000)
        func blocks() -> [Int] {
            var scored: [Int] = []
            while search.frames.dueIndex <= history.endIndex {
                if let block = search.takeBlock(history, &noise) { scored.append(block) }
            }
            return scored
        }
        let first = blocks()
        #expect(first == Array(0..<first.count) && first.count > 10)
        let (isSettled, inverse) = (noise.isSettled, noise.inverse(tone: 3, offsetHertz: 0))
        #expect(isSettled && inverse > 0)
        let blockLength = SyncSearch.blockSymbolCount * format.samplesPerSymbol
        search.frames.restart(from: 4 * blockLength, &noise)
        #expect(blocks() == Array(first[4...]))
        search.rewind(blockCount: 3)
        let blockCount = search.frames.cells.blockCount
        #expect(blockCount == first.count + 2 - 3)
    }

    /// If a loud tone was removed from the middle of a block on, the noise of the next block is that of
    /// the cleaned samples alone. Otherwise the floor would remember the tone, 40 dB louder, for eight
    /// blocks: 1/9 of its power after the first.
    @Test(arguments: [false, true]) func theNoiseBeginsAnewWhereATonesRemovalBegins(isTold: Bool) {
        let format = BasebandFormat(profile: .fast)
        var search = ChannelSearch(format, combining: 1, keptCount: 8_192, channelCount: 1)
        var noise = BandNoise(format: format)
        let blockLength = SyncSearch.blockSymbolCount * format.samplesPerSymbol
        let cleanIndex = 10 * blockLength + blockLength / 2
        var samples = BasebandScene(count: 16 * blockLength, snrDecibels: 0, seed: 43).samples
        for index in 0..<cleanIndex { samples[index] = 100 * samples[index] }
        let history = BasebandHistory(keptCount: 16_384)
        history.append(samples, 0..<samples.count)
        if isTold { search.frames.forgetNoise(from: cleanIndex) }
        var powers: [Float] = []
        while search.frames.dueIndex <= history.endIndex {
            _ = search.takeBlock(history, &noise)
            powers.append(1 / noise.inverse(tone: 3, offsetHertz: 0))
        }
        let ratio = powers[11] / powers[9]
        #expect(isTold ? ratio < 3e-4 : ratio > 1e-2, "\(ratio), seed 43")
    }
}
