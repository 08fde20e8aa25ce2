import Testing

@testable import EarshotModem

/// How loud the sync tones are among the others.
@Suite struct SyncCheckTests {
    /// Every sync tone of a clear frame is the loudest of its symbol; in noise half of them are not.
    @Test(arguments: Profile.all) func theSyncCheckTellsAFrameFromNoise(profile: Profile) throws {
        var check = SyncCheck(profiles: [profile])
        let frame = try NoisyFrame(profile, snrDecibels: 10, seed: 101)
        let clear = check.examine(frame.view)
        #expect(clear.dominance > SyncCheck.sureDominance && clear.announcedByteCount == nil, "seed 101")
        let noise = try NoisyFrame(profile, snrDecibels: 10, isFrame: false, seed: 102)
        // A tone's mean share of the loudest of M is 0.6/(ln M + 0.58) in ln(1 + x): 0.2 and less; eight of them vary by 0.07.
        for step in 0..<20 {
            let found = check.examine(noise.view.moved(by: -13.7 * Double(step)))
            #expect(found.dominance < SyncCheck.minimumDominance, "seed 102")
        }
    }
}
