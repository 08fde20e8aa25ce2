import EarshotDSP
import TestSupport
import Testing

@testable import EarshotModem

/// The stages of one channel: the search and its noise go on together.
@Suite struct ChannelStagesTests {
    /// Every block that the search scores has passed through the noise, a restart scores the same blocks again, and repeats are
    /// searched only if asked for.
    @Test func theSearchAndItsNoiseGoOnTogether() {
        let format = BasebandFormat(profile: .standard)
        let stages = ChannelStages(format, combining: 1, keptCount: 8_192, channelCount: 1)
        #expect(stages.repeatSearch == nil)
        #expect(ChannelStages(format, combining: 2, keptCount: 8_192, channelCount: 1).repeatSearch != nil)
        let history = BasebandHistory(keptCount: 16_384)
        history.append(BasebandScene(count: 12_000, snrDecibels: 0, seed: 41).samples, 0..<12_000)
        func blocks() -> [Int] {
            var scored: [Int] = []
            while stages.search.dueIndex <= history.endIndex {
                if let block = stages.takeBlock(history) { scored.append(block) }
            }
            return scored
        }
        let first = blocks()
        #expect(first == Array(0..<first.count) && first.count > 10)
        #expect(stages.noise.isSettled && stages.noise.inverse(tone: 3, offsetHertz: 0) > 0)
        let blockLength = SyncSearch.blockSymbolCount * format.samplesPerSymbol
        stages.restartSearch(from: 4 * blockLength)
        #expect(blocks() == Array(first[4...]))
        stages.rewind(blockCount: 3)
        #expect(stages.search.cells.blockCount == first.count + 1 - 3)
    }
}
