import EarshotBasics
import EarshotCoding
import TestSupport
import Testing

@testable import EarshotModem

/// Takes tones on the air; returns tones on the air and a payload.
@Suite(.optimized) struct FrameTrellisTests {
    private static let stepCount = FrameLayout.token.dataToneCount

    /// A frame's data tones on the air, under a scrambling that starts at `scramblerStart`.
    private func tones(_ profile: Profile, _ payload: Payload, scramblerStart: Int = 0) -> [Int] {
        let codeword = profile.code.encode(FrameBits.pairs(of: payload))
        return DataTones.onAir(codeword, toneBits: profile.code.toneBits, scramblerStart: scramblerStart)
    }

    /// Random metrics of 0 ... 1, and of 5 for the given tones.
    private func trellis(_ profile: Profile, _ tones: [Int]) -> FrameTrellis {
        var random = SeededGenerator(seed: 81)
        var trellis = FrameTrellis(profiles: [profile], maximumStepCount: Self.stepCount)
        for index in trellis.branchMetrics.indices {
            trellis.branchMetrics[index] = Float.random(in: 0...1, using: &random)
        }
        for (step, tone) in tones.enumerated() { trellis.branchMetrics[step * profile.toneCount + tone] = 5 }
        return trellis
    }

    /// If the frame's tones are far above the others, the path goes through them, and its sums are theirs.
    @Test(arguments: Profile.all) func aPathIsThatOfItsTones(profile: Profile) {
        let payload = Payload.token(seed: 81)
        let tones = tones(profile, payload)
        var trellis = trellis(profile, tones)
        let metrics = trellis.branchMetrics
        let isTailBiting = trellis.decode(profile.code, stepCount: Self.stepCount)
        let found = trellis.payload(byteCount: Payload.tokenCount)
        #expect(isTailBiting && found == payload, "seed 81")
        let pathTones = trellis.tones.map { Int($0) }
        #expect(pathTones == tones, "seed 81")
        let (pathSum, pathExcess) = (trellis.pathSum, trellis.pathExcess)
        #expect(abs(pathSum - 5 * 44) < 1e-3)
        let mean = metrics.reduce(0.0) { $0 + Double($1) } / Double(profile.toneCount)
        #expect(abs(Double(pathExcess) - (5 * 44 - mean)) < 1e-3, "\(pathExcess), seed 81")
    }

    /// Under another scrambling the same metrics have another path: the frame's own payload is not found.
    @Test(arguments: Profile.all) func aScramblingHasItsOwnPath(profile: Profile) {
        let payload = Payload.token(seed: 82)
        var decoy = trellis(profile, tones(profile, payload, scramblerStart: DecoyTest.scramblerStart))
        decoy.decode(profile.code, stepCount: Self.stepCount)
        let usual = (payload: decoy.payload(byteCount: Payload.tokenCount), sum: decoy.pathSum)
        decoy.decode(profile.code, stepCount: Self.stepCount, scramblerStart: DecoyTest.scramblerStart)
        let own = (payload: decoy.payload(byteCount: Payload.tokenCount), sum: decoy.pathSum)
        #expect(usual.payload == nil && own.payload == payload)
        #expect(own.sum > usual.sum + 44, "\(own.sum) and \(usual.sum)")
    }

    /// A frame passes if it fits better than its decoy by the margin. A decoy's own frame does not pass.
    @Test func aDecoyIsCompared() {
        let (profile, payload) = (Profile.standard, Payload.token(seed: 83))
        for (scramblerStart, isPassed) in [(0, true), (DecoyTest.scramblerStart, false)] {
            var trellis = trellis(profile, tones(profile, payload, scramblerStart: scramblerStart))
            trellis.decode(profile.code, stepCount: Self.stepCount)
            let passes = DecoyTest.passes(&trellis, profile.code, stepCount: Self.stepCount, margin: 44) { $0.pathSum }
            #expect(passes == isPassed, "scrambling from \(scramblerStart) on")
        }
        var frame = trellis(profile, tones(profile, payload))
        frame.decode(profile.code, stepCount: Self.stepCount)
        let isBeyond = DecoyTest.passes(&frame, profile.code, stepCount: Self.stepCount, margin: 5 * 44) { $0.pathSum }
        #expect(!isBeyond)
    }
}
