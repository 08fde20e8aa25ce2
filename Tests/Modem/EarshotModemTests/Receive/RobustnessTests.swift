import EarshotChannel
import EarshotLoopback
import EarshotModem
import EarshotTrials
import RealModule
import TestSupport
import Testing

/// The share of 8-byte tokens that decode under the conditions that the receiver must survive, in simulated air.
///
/// Thresholds are the project's promises, with their margin over the measured shares (`AirPromise`). Each
/// row runs 60 trials, or 120 in a long run, with fixed seeds, so a result does not change from run to
/// run, and would hold for other seeds too.
@Suite(.optimized) struct RobustnessTests {
    static let trialCount = TestLength.count(60, long: 120)
    static let seed: UInt64 = 2_026_11_21

    @Test(arguments: AirPromise.all)
    func decodes(_ row: AirPromise) throws {
        let tally = try AirTally.of(row.scene, trialCount: RobustnessTests.trialCount, seed: RobustnessTests.seed)
        #expect(
            tally.decodedShare >= row.minimumShare,
            "\(row.name): \(tally.decodedCount) of \(tally.trialCount), seed \(RobustnessTests.seed)")
        #expect(tally.wrongCount == 0, "\(row.name): wrong tokens, seed \(RobustnessTests.seed)")
        #expect(tally.duplicateCount == 0, "\(row.name): duplicates, seed \(RobustnessTests.seed)")
    }

    /// Tests the tests: below the theoretical bound nothing may decode. The best code for this alphabet and frame loses
    /// 10 % at about −9.7 dB. At 4 dB less it loses all 60 trials, except with a probability that the bound itself
    /// gives. A token other than the sent one would be chance: 2⁻²⁴ an attempt.
    @Test func decodesNothingFarBelowTheBound() throws {
        var scene = AirScene()
        scene.snrDecibels = -13.7
        // A token's 64 bits and 24 of check in 44 tones.
        let bound = FiniteLengthBound(toneCount: 32, symbolCount: 44, bitCount: 88)
        // A symbol has 32 periods of 1,500 Hz.
        let errorShare = bound.errorShare(esN0Decibels: scene.snrDecibels + 10 * .log10(32))
        #expect(60 * (1 - errorShare) < 1e-4)
        let tally = try AirTally.of(scene, trialCount: 60, seed: 7)
        #expect(tally.decodedCount == 0, "seed 7")
        #expect(tally.wrongCount == 0, "seed 7")
    }

    /// The evidence: SNR, offset and place of frames in white noise.
    @Test(arguments: [-6.0, 0, 10, 30])
    func reportsTrueEvidence(snrDecibels: Double) throws {
        var scene = AirScene()
        scene.snrDecibels = snrDecibels
        scene.air.relativeOffset = 0.002
        var errors: [Double] = []
        for seed in UInt64(1)...20 {
            let outcome = try scene.run(seed: seed)
            guard let frame = outcome.frames.first else { continue }
            errors.append(Double(frame.snrDecibels) - snrDecibels + 0.5)
            // Timing and tone leakage cost 0 to 1 dB, 0.5 on average. The quietest tenth of 1,664 windowed energies,
            // half of them independent, gives the noise within √(0.1·0.9/832)/(0.9·0.105) = 11 %, 0.5 dB; 44 symbols at
            // -6 dB (9 dB a tone) give the signal within √17/8/√44 = 8 %, 0.35 dB: together 0.6 dB. One of 80 frames is
            // more than 4.9 deviations or 2.9 dB off with a probability of 80·10⁻⁶ = 8·10⁻⁵.
            #expect(abs(errors[errors.count - 1]) < 0.5 + 2.9, "\(frame.snrDecibels) dB, seed \(seed)")
            // 0.2 % of 19,250 Hz, within two steps of the refinement, an eighth of a tone spacing each.
            #expect(abs(frame.offsetHertz - 38.5) < 11.7, "seed \(seed): \(frame.offsetHertz) Hz")
            // An eighth of a symbol, two steps of the refinement.
            #expect(abs(frame.startSample - outcome.startSamples[0]) <= 128, "seed \(seed)")
            let length = Double(frame.endSample - frame.startSample)
            #expect(abs(length - 1.664 / 1.5 * 48_000 / 1.002) < 30, "seed \(seed)")
        }
        // −7.5 dB loses 0.5 % at most (`AirPromise`): more than 3 of 20 with a probability of C(20, 4)·0.005⁴ = 3·10⁻⁶.
        #expect(errors.count >= 17, "\(errors.count) of 20, seeds 1 to 20")
        // Four deviations of a mean of 17 are 4·0.6/√17 = 0.6 dB.
        let mean = errors.reduce(0, +) / Double(errors.count)
        #expect(abs(mean) < 0.5 + 0.6, "\(errors), seeds 1 to 20")
    }
}
