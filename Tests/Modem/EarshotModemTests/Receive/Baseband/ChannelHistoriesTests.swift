import EarshotDSP
import TestSupport
import Testing

@testable import EarshotModem

/// Channels that repeat another one.
@Suite(.optimized) struct ChannelHistoriesTests {
    /// A copy counts as one at any gain and phase. Independent noise does not, even after a silence in both channels.
    @Test func copiesAreFound() {
        let first = BasebandScene(count: 6_400, snrDecibels: 0, seed: 21).samples
        let second = BasebandScene(count: 6_400, snrDecibels: 0, seed: 22).samples
        let gain = ComplexSample(0.2, -0.4)
        let silence = [ComplexSample](repeating: ComplexSample(), count: 6_400)
        let channels = [silence, first, second, first.map { $0.times(gain) }]
        let all = channels.map { _ in BasebandHistory(keptCount: 8_192) }
        let histories = ChannelHistories(all)
        for quantum in 0..<200 {
            for (history, channel) in zip(all, channels) { history.append(channel, 32 * quantum..<32 * (quantum + 1)) }
            histories.noteCopies(from: 32 * quantum, 32)
        }
        #expect(!histories.isCopy(0, since: 6_399))
        #expect(!histories.isCopy(1, since: 6_399) && !histories.isCopy(2, since: 6_399), "seeds 21 and 22")
        #expect(histories.isCopy(3, since: 1_000), "seeds 21 and 22")
    }

    /// A frame hides nothing in a channel that did not hear it.
    @Test func aMaskCoversTheChannelsThatHeardIt() {
        let all = (0..<3).map { _ in BasebandHistory(keptCount: 64) }
        for history in all { history.append([ComplexSample](repeating: ComplexSample(1, 0), count: 32), 0..<32) }
        ChannelHistories(all).mask(10..<20, in: ChannelShares(weights: [1, 0.2, 0.5, 0, 0, 0, 0, 0]))
        #expect(all.map { $0.isLost(12) } == [true, false, true] && all.allSatisfy { !$0.isLost(20) })
    }
}
