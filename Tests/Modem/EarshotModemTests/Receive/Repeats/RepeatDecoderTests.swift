import EarshotCoding
import EarshotDSP
import TestSupport
import Testing

@testable import EarshotModem

/// Frames that are too quiet alone, read together.
@Suite(.optimized) struct RepeatDecoderTests {
    private func decode(_ history: BasebandHistory) -> RepeatedFrame? {
        var decoder = RepeatDecoder(profiles: [BurstScene.profile], repeatCount: BurstScene.repeatCount)
        let frame = MeasuredFrame.token(BurstScene.profile, start: BurstScene.start, in: history)
        return decoder.decode(frame.view, &frame.measurer)
    }

    /// At −12.4 dB none of the frames decodes alone, and all four decode together: at −12.3 dB 96.5 % do, searching
    /// included (`RepeatTests`). The SNR is that of 4 · 44 tones: good to a decibel.
    @Test(arguments: [UInt64(41), 42, 43]) func fourFramesAreReadTogether(seed: UInt64) throws {
        let payload = Payload.token(seed: seed)
        let history = BurstScene.history(payload, snrDecibels: -12.4, seed: seed)
        let burst = MeasuredFrame.token(BurstScene.profile, start: BurstScene.start, in: history)
        for index in 0..<4 {
            var path = TrellisAttempt(profiles: [BurstScene.profile])
            path.prepare(burst.view.burstFrame(index), &burst.measurer)
            if case .decoded = path.decode(burst.view.burstFrame(index), &burst.measurer).outcome {
                Issue.record("frame \(index) alone, seed \(seed)")
            }
        }
        let frame = try #require(decode(history), "seed \(seed)")
        #expect(frame.payload == payload, "seed \(seed)")
        #expect(abs(frame.place.start - BurstScene.start) < 5.4, "\(frame.place.start), seed \(seed)")
        #expect((0..<4).allSatisfy { frame.isPresent[$0] }, "seed \(seed)")
        #expect(abs(frame.snrDecibels + 12.4) < 2, "\(frame.snrDecibels) dB, seed \(seed)")
    }

    /// A missing frame is reported as missing if the others show it. Λ of a frame of noise is −8.7 ± 4.9 here, and 28 %
    /// of them exceed −6, above which a frame counts as present (4,000 simulated): fewer than five of twelve bursts are
    /// right with a probability of 0.3 %.
    @Test func aMissingFrameIsNotPresent() throws {
        var rightCount = 0
        for seed in 44...55 as ClosedRange<UInt64> {
            let payload = Payload.token(seed: seed)
            let history = BurstScene.history(payload, snrDecibels: -7, seed: seed, present: [0, 1, 3])
            let frame = try #require(decode(history), "seed \(seed)")
            #expect(frame.payload == payload, "seed \(seed)")
            #expect([0, 1, 3].allSatisfy { frame.isPresent[$0] }, "seed \(seed)")
            rightCount += frame.isPresent[2] ? 0 : 1
        }
        #expect(rightCount >= 5, "\(rightCount) of 12, seeds 44 to 55")
    }

    /// Four different tokens, equally quiet, are no burst: at most one of them decodes.
    @Test func differentTokensAreNotAdded() {
        var scene = BasebandScene(count: 16_000, snrDecibels: -11, seed: 45)
        let tokens = (0..<4).map { Payload.token(seed: 450 + $0) }
        for (index, token) in tokens.enumerated() {
            scene.add(
                FrameTones.tones(of: token, profile: BurstScene.profile), BurstScene.profile,
                start: BurstScene.start + Double(index) * BurstScene.spacing(offsetHertz: 0))
        }
        let payload = decode(scene.history)?.payload
        #expect(payload == nil || tokens.contains { $0 == payload }, "seed 45")
    }
}
