import EarshotCoding
import EarshotDSP
import RealModule
import TestSupport
import Testing

@testable import EarshotModem

/// One walk through the trellis: clean frames pass, and noise, holes and decoys do not.
@Suite(.optimized) struct TrellisAttemptTests {
    private static let start = 500.0

    private func attempt(_ frame: MeasuredFrame) -> PathResult.Outcome {
        var path = TrellisAttempt(profiles: [frame.view.profile])
        path.prepare(frame.view, &frame.measurer)
        return path.decode(frame.view, &frame.measurer).outcome
    }

    /// At 15 dB: the payload, its place and its SNR. The level of 44 tones is known to 0.35 dB or better and the
    /// noise to 0.5 dB, together 0.6 dB (see RobustnessTests); four deviations are 2.4 dB. The frame's smooth
    /// steps cost 0.5 dB of the SNR on average.
    @Test(arguments: Profile.all, [UInt64(1), 2, 3]) func aCleanFrameDecodes(profile: Profile, seed: UInt64) throws {
        let payload = Payload.token(seed: seed)
        var scene = BasebandScene(count: 9_000, snrDecibels: 15, seed: seed)
        scene.add(FrameTones.tones(of: payload, profile: profile), profile, start: Self.start, offsetHertz: 40)
        guard
            case .decoded(let frame) = attempt(
                .token(profile, start: Self.start, offsetHertz: 40, in: scene.history))
        else {
            Issue.record("not decoded, seed \(seed)")
            return
        }
        #expect(frame.payload == payload && frame.place.start == Self.start && frame.place.offsetHertz == 40)
        #expect(abs(frame.snrDecibels - 14.5) < 2.4, "\(frame.snrDecibels) dB, seed \(seed)")
        // E/N of a tone is M times the SNR in the band, at least 27 dB, and N at least 2 % of the mean energy.
        #expect(frame.pathMetric > 3, "\(frame.pathMetric), seed \(seed)")
    }

    /// Noise has no codeword whose CRC is worth checking: its metric is 1.22 ± 0.06 (`FrameEvidence`), so the limit of
    /// 1.38 is 2.7 deviations away, one place in 290. Places 60 samples apart share most of their symbols, so several
    /// of them exceed it at a time: 9 of 100 in `standard`. None has a CRC that matches.
    @Test(arguments: Profile.all) func noiseIsRefused(profile: Profile) {
        let scene = BasebandScene(count: 16_000, snrDecibels: 0, seed: 51)
        let history = scene.history
        var refusedCount = 0
        for index in 0..<100 {
            let outcome = attempt(.token(profile, start: Self.start + Double(60 * index), in: history))
            if case .refused(.evidence) = outcome { refusedCount += 1 }
            if case .decoded = outcome { Issue.record("place \(index), seed 51") }
        }
        #expect(refusedCount >= 88, "\(refusedCount) of 100, seed 51")
    }

    /// 13 of 44 data tones may be lost, 14 may not: 30 of 44 are less than 0.7. The code bridges scattered erasures.
    @Test(arguments: [(13, true), (14, false)]) func holesAreBridged(lostCount: Int, isDecoded: Bool) {
        let (profile, payload) = (Profile.standard, Payload.token(seed: 8))
        var scene = BasebandScene(count: 5_000, snrDecibels: 15, seed: 8)
        scene.add(FrameTones.tones(of: payload, profile: profile), profile, start: Self.start)
        let history = scene.history
        for index in 0..<lostCount {
            let first = Int(Self.start) + 64 * FrameLayout.token.dataPlace(1 + 3 * index)
            history.mask(first..<first + 64)
        }
        let outcome = attempt(.token(profile, start: Self.start, in: history))
        guard case .decoded(let frame) = outcome else {
            #expect(!isDecoded, "\(outcome)")
            return
        }
        #expect(isDecoded && frame.payload == payload)
    }

    /// The decoy is a frame under a scrambling that no transmitter uses, a little louder than the true one at the same
    /// place. It fits better, so the receiver does not believe the true frame. Without the decoy it does.
    @Test(arguments: [UInt64(1), 2, 3, 4]) func aDecoySpeaksAgainstAFrame(seed: UInt64) {
        let profile = Profile.standard
        let tones = FrameTones.tones(of: .token(seed: seed), profile: profile)
        let codeword = profile.code.encode(FrameBits.pairs(of: .token(seed: seed + 100)))
        let decoy =
            FrameLayout.arranged(
                sync: profile.syncTones,
                DataTones.onAir(codeword, toneBits: 5, scramblerStart: DecoyTest.scramblerStart))
        for gain in [Float(0), 1.3] {
            var scene = BasebandScene(count: 5_000, snrDecibels: 15, seed: seed)
            scene.add(tones, profile, start: Self.start)
            scene.add(decoy, profile, start: Self.start, gain: ComplexSample(0, gain))
            let outcome = attempt(.token(profile, start: Self.start, in: scene.history))
            if case .decoded = outcome {
                #expect(gain == 0, "decoy of \(gain), seed \(seed)")
            } else {
                #expect(gain > 0, "\(outcome), seed \(seed)")
            }
        }
    }
}
