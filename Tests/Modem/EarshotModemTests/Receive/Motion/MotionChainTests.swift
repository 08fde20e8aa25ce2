import EarshotBasics
import EarshotChannel
import EarshotCoding
import EarshotLoopback
import TestSupport
import Testing

@testable import EarshotModem

@Suite(.optimized) struct MotionChainTests {
    /// A hand whose offset no polynomial follows: 0.6 m/s at random, 10 dB. Without chains 54 of 100 arrived, and 99 with one chain
    /// (seed 7001); 20 trials of which 18 arrive are far from the former.
    @Test func framesInAHandAreDecoded() throws {
        var scene = AirScene()
        (scene.profile, scene.snrDecibels) = (.standard, 10)
        scene.air = try #require(AirPreset.named("hand-fast")).air
        let tally = try AirTally.of(scene, trialCount: 20, seed: 91)
        #expect(tally.decodedCount >= 18, "seed 91")
        #expect(tally.wrongCount == 0, "seed 91")
    }
}
