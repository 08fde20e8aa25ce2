import EarshotChannel
import EarshotLoopback
import EarshotModem
import EarshotTrials
import Testing

/// What the receiver has to stand, in simulated air: share of 8-byte tokens decoded.
///
/// Thresholds are the project's promises. Each row runs 120 trials with fixed seeds, so a result does not change from run to
/// run. How far from luck a row is can be seen in docs/BENCHMARKS.md, where the same rows stand with more trials and other
/// seeds: the standard deviation of a share p over 120 trials is √(p(1 − p)/120), 2.7 % at 90 %.
@Suite struct RobustnessTests {
    static let trialCount = 120
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

    /// Below what theory allows nothing may decode: a test of the tests. The finite-length bound for this alphabet and frame
    /// is near −9.7 dB at 90 %; 4 dB below it the bound's success is far under 1 %.
    @Test func decodesNothingFarBelowTheBound() throws {
        var scene = AirScene()
        scene.snrDecibels = -13.7
        let tally = try AirTally.of(scene, trialCount: 60, seed: 7)
        #expect(tally.decodedCount == 0)
        #expect(tally.wrongCount == 0)
    }

    /// The evidence: SNR, offset and place of frames in white noise.
    @Test(arguments: [-6.0, 0, 10, 30])
    func reportsTrueEvidence(snrDecibels: Double) throws {
        var scene = AirScene()
        scene.snrDecibels = snrDecibels
        scene.air.relativeOffset = 0.002
        for seed in UInt64(1)...20 {
            let outcome = try scene.run(seed: seed)
            let frame = try #require(outcome.frames.first, "seed \(seed)")
            // Timing and tone leakage cost 0 to 1 dB, 0.5 on the average. The quietest tenth of 1,664 windowed energies, half
            // of them independent, tells the noise within √(0.1·0.9/832)/(0.9·0.105) = 11 %, 0.5 dB; 44 symbols at -6 dB
            // (9 dB a tone) tell the signal within √17/8/√44 = 8 %, 0.35 dB: together 0.6 dB, three deviations 1.8 dB.
            #expect(abs(Double(frame.snrDecibels) - snrDecibels + 0.5) < 0.5 + 1.8, "seed \(seed)")
            // 0.2 % of 19,250 Hz, within two steps of the refinement, an eighth of a tone spacing each.
            #expect(abs(frame.offsetHertz - 38.5) < 11.7, "seed \(seed): \(frame.offsetHertz) Hz")
            // An eighth of a symbol, two steps of the refinement.
            #expect(abs(frame.startSample - outcome.startSamples[0]) <= 128, "seed \(seed)")
            let length = Double(frame.endSample - frame.startSample)
            #expect(abs(length - 1.664 / 1.5 * 48_000 / 1.002) < 30, "seed \(seed)")
        }
    }
}
