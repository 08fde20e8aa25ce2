import EarshotCoding
import EarshotDSP
import TestSupport
import Testing

@testable import EarshotModem

/// Turns the candidates of a search into one report.
@Suite(.optimized) struct RepeatCombinerTests {
    /// The outcomes of a burst in `history` that the search found.
    /// - Parameter recent: the frames known already.
    private func outcomes(
        _ history: BasebandHistory, recent: inout RecentFrames
    ) -> (outcomes: [BurstOutcome], isExpecting: Bool) {
        let histories = ChannelHistories([history])
        var search = ProfileSearch(
            BurstScene.profile, combining: BurstScene.repeatCount, keptCount: history.keptSampleCount)
        let combiner = RepeatCombiner(profiles: [BurstScene.profile], repeatCount: BurstScene.repeatCount)
        while search.searchBlocks(histories) {
            combiner.insertBursts(search.burstCandidates ?? [], search.format, profileIndex: 0)
        }
        let isExpecting = combiner.isExpecting
        var outcomes: [BurstOutcome] = []
        var budget = DecodingBudget(basebandRateHertz: 3_000)
        let clock = InputClock(inputRateHertz: 48_000, basebandRateHertz: 3_000)
        let (format, noise) = (search.format, search.noise)
        var measurers = OwnedList(count: 1) { _ in
            FrameMeasurer(format: format, histories: histories, noise: noise)
        }
        while let outcome = combiner.decodeNext(&measurers, clock, &recent, &budget) {
            outcomes.append(outcome)
        }
        return (outcomes, isExpecting)
    }

    /// Four frames and the echo after the last take 3·56 + 52 + 2 symbols; one frame takes 52 + 2.
    @Test func aBurstLastsSoLong() {
        #expect(RepeatCombiner.symbolCount(repeatCount: 4) == 222)
        #expect(RepeatCombiner.symbolCount(repeatCount: 1) == 54)
    }

    /// A quiet burst is reported once, from its first frame's start to its last one's end, in input samples: 16 to a
    /// baseband sample. After that it is known.
    @Test func aBurstIsReportedOnce() throws {
        let payload = Payload.token(seed: 51)
        let history = BurstScene.history(payload, snrDecibels: -10.5, seed: 51)
        var recent = RecentFrames()
        let first = outcomes(history, recent: &recent)
        #expect(first.isExpecting, "seed 51")
        try #require(first.outcomes.count == 1, "\(first.outcomes), seed 51")
        guard case .combined(let frame) = first.outcomes[0] else {
            Issue.record("\(first.outcomes), seed 51")
            return
        }
        #expect(frame.payload == payload && frame.combinedCount == 4 && frame.profileName == "standard")
        #expect(abs(frame.startSample - 16 * 700) < 16 * 6, "\(frame.startSample)")
        #expect(abs(frame.endSample - 16 * (700 + 220 * 64)) < 16 * 12, "\(frame.endSample)")
        let second = outcomes(history, recent: &recent)
        #expect(second.isExpecting && second.outcomes.isEmpty, "\(second.outcomes), seed 51")
    }

    /// A burst is not reported if one of its frames decoded alone.
    @Test(arguments: [0, 2]) func aKnownFrameEndsIt(index: Int) {
        let payload = Payload.token(seed: 52)
        let history = BurstScene.history(payload, snrDecibels: -10.5, seed: 52)
        var recent = RecentFrames()
        _ = recent.insert(
            payload, profileIndex: 0, start: BurstScene.start + Double(index) * BurstScene.spacing(offsetHertz: 0) + 9,
            length: 52 * 64)
        let found = outcomes(history, recent: &recent)
        #expect(found.isExpecting && found.outcomes.isEmpty, "\(found.outcomes), seed 52")
    }

    /// The combiner waits until a burst is over.
    @Test func anUnfinishedBurstWaits() {
        let whole = BurstScene.history(.token(seed: 53), snrDecibels: -10.5, seed: 53)
        let samples = ReplicaScene.samples(whole, from: 0, count: 700 + 219 * 64)
        let history = BasebandHistory(keptCount: 24_000)
        history.append(samples, 0..<samples.count)
        var recent = RecentFrames()
        let found = outcomes(history, recent: &recent)
        #expect(found.isExpecting && found.outcomes.isEmpty, "\(found.outcomes), seed 53")
    }
}
