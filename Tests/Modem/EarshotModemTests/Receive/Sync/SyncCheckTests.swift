import TestSupport
import Testing

@testable import EarshotModem

/// How loud the sync tones are among the others.
@Suite(.optimized) struct SyncCheckTests {
    /// Every sync tone of a clear frame is the loudest of its symbol; in noise half of them are not.
    ///
    /// A token's data tones announce another length only by chance: half of a header's six tones have to be those of one of 31
    /// lengths. With 16 tones that is 31·20/16³ = 15 %: 5 of 8 tokens or more in one of 400 cases, in fewer with more tones.
    @Test(arguments: Profile.all) func theSyncCheckTellsAFrameFromNoise(profile: Profile) throws {
        var check = SyncCheck(profiles: [profile])
        var announcedCount = 0
        for seed in 101...108 as ClosedRange<UInt64> {
            let frame = try NoisyFrame(profile, snrDecibels: 10, seed: seed).frame
            let clear = check.examine(frame.view, &frame.measurer)
            #expect(clear.dominance > SyncCheck.sureDominance, "seed \(seed)")
            announcedCount += clear.announcedByteCount == nil ? 0 : 1
        }
        #expect(announcedCount < 5, "\(announcedCount) of 8, seeds 101 to 108")
        let noise = try NoisyFrame(profile, snrDecibels: 10, isFrame: false, seed: 102)
        // Noise has 0.6 of a loudest tone's 1.5, 1.7 and 1.8 in ln(1 + x): 0.41 in `fast`, where eight tones vary by 0.11 and one place in 15
        // reaches 0.58, and less in the others. Neighbouring places are alike.
        var passedCount = 0
        for step in 0..<20 {
            let found = check.examine(noise.view.moved(by: -13.7 * Double(step)), &noise.frame.measurer)
            passedCount += found.dominance < SyncCheck.minimumDominance ? 0 : 1
        }
        #expect(passedCount <= 5, "\(passedCount) of 20, seed 102")
    }
}
