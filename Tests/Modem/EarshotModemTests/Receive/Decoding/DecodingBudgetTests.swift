import EarshotChannel
import EarshotCoding
import EarshotTrials
import TestSupport
import Testing

@testable import EarshotModem

@Suite(.optimized) struct DecodingBudgetTests {
    /// All looks are allowed while much of the budget is left, brief ones while more than the
    /// reserve is, first ones while anything is.
    @Test func theBudgetAllowsLessAndLess() {
        var budget = DecodingBudget(basebandRateHertz: 3_000)
        #expect(budget.costliestAttempt == .second)
        budget.spend(DecodingBudget.maximum - DecodingBudget.scarce)
        #expect(budget.costliestAttempt == .brief)
        budget.spend(DecodingBudget.scarce - DecodingBudget.reserve)
        #expect(budget.costliestAttempt == .first)
        budget.spend(DecodingBudget.reserve)
        #expect(budget.costliestAttempt == .syncCheck)
    }

    /// A second of sound adds `workOfSecond`, in pieces of any size, and the budget saves no more than `maximum`.
    @Test(arguments: [1, 32, 1_000, 3_000])
    func aSecondAddsItsShare(pieceCount: Int) {
        var budget = DecodingBudget(basebandRateHertz: 3_000)
        budget.add(sampleCount: 3_000_000)
        budget.spend(DecodingBudget.maximum + DecodingBudget.workOfSecond)
        for _ in 0..<3_000 / pieceCount { budget.add(sampleCount: pieceCount) }
        for _ in 0..<3_000 % pieceCount { budget.add(sampleCount: 1) }
        budget.spend(DecodingWork(microseconds: -1e-3))
        #expect(budget.costliestAttempt == .first)
        budget.spend(DecodingWork(microseconds: 2e-3))
        #expect(budget.costliestAttempt == .syncCheck)
    }

    /// Sync patterns without frames exhaust the budget. The receiver rejects attempts beyond the budget, and decodes
    /// the tokens that follow. Attempts expire when their samples leave the history, which is 9.4 s long.
    @Test func tokensBehindHostileSoundAreHeard() throws {
        let payload = try Payload(hex: "0123456789abcdef")
        let token = try Transmitter(sampleRateHertz: 48_000).samples(payload, amplitude: 0.2)
        let pause = [Float](repeating: 0, count: 4_800)
        let air =
            HostileSound.syncPatterns.samples(seconds: 24, sampleRateHertz: 48_000) + pause + token + pause + token
        var receiver = try Receiver(sampleRateHertz: 48_000)
        var heard: [Payload] = []
        receiver.push(air.span) { heard.append($0.payload) }
        receiver.flush { heard.append($0.payload) }
        #expect(heard == [payload, payload])
        #expect(receiver.statistics.rejectedByBudget > 0)
    }

    /// A crowd that one core can decode, six talkers without a pause, loses no frame to the budget.
    /// The rejected attempts are chance patterns.
    @Test func aCrowdKeepsWithinTheBudget() throws {
        let air = HostileSound(
            streams: (0..<6).map {
                HostileSound.Stream(
                    profile: .standard, content: .damagedFrame(byteCount: 8, share: 0),
                    offsetHertz: 7 * Double($0) - 20, amplitude: 1, startSeconds: 0.17 * Double($0))
            }, noiseDecibels: -15, seed: 16
        ).samples(seconds: 12, sampleRateHertz: 48_000)
        var receiver = try Receiver(sampleRateHertz: 48_000)
        receiver.push(air.span) { _ in }
        receiver.flush { _ in }
        // 6 · 12 s / 1.109 s = 65 frames, less half a frame at either end of each talker's: 59 are whole.
        #expect(receiver.statistics.frames >= 57)
    }
}
