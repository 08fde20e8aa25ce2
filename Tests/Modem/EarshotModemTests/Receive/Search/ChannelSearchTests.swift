import EarshotDSP
import TestSupport
import Testing

@testable import EarshotModem

/// The search of one channel and its noise go on together.
@Suite(.optimized) struct ChannelSearchTests {
    /// Every block that the search scores has passed through the noise, a restart scores the same blocks again, and repeats are
    /// searched only if asked for.
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
}
