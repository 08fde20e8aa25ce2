import EarshotDSP
import Testing

@testable import EarshotModem

/// Channels that repeat another one.
@Suite struct ChannelHistoriesTests {
    /// A channel is a copy from where it last differed from every channel before it.
    @Test func copiesAreFound() {
        let all = (0..<3).map { _ in BasebandHistory(keptCount: 1_024) }
        let histories = ChannelHistories(all)
        for quantum in 0..<8 {
            for (number, history) in all.enumerated() {
                // The third channel repeats the first, but in its fourth quantum.
                let value = number == 1 ? 1 : number == 2 && quantum == 3 ? 2 : 0
                history.append(
                    [ComplexSample](repeating: ComplexSample(Float(quantum), Float(value)), count: 32), 0..<32)
            }
            histories.noteCopies(32)
        }
        #expect(!histories.isCopy(0, since: 0) && !histories.isCopy(1, since: 250))
        #expect(!histories.isCopy(2, since: 0) && !histories.isCopy(2, since: 127) && histories.isCopy(2, since: 128))
        histories.mask(10..<20)
        #expect(all.allSatisfy { $0.isLost(12) && !$0.isLost(20) })
    }
}
