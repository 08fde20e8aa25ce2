import EarshotDSP
import RealModule
import TestSupport
import Testing

@testable import EarshotModem

/// The numbers of the common baseband, compared with docs/PROTOCOL.md and the definitions.
@Suite(.optimized) struct BasebandFormatTests {
    @Test func aSymbolHasTwoSamplesATone() {
        #expect(Profile.all.map { BasebandFormat(profile: $0).samplesPerSymbol } == [32, 64, 128])
        #expect(Profile.all.allSatisfy { BasebandFormat(profile: $0).rateHertz == 3_000 })
        for profile in Profile.all {
            let format = BasebandFormat(profile: profile)
            #expect(abs(Double(format.samplesPerSymbol) / Double(format.rateHertz) - profile.symbolSeconds) < 1e-12)
        }
    }

    /// Tone m is at its frequency minus the band's centre, and the tones are symmetrical about zero.
    @Test(arguments: Profile.all) func tonesLieAroundZero(profile: Profile) {
        let format = BasebandFormat(profile: profile)
        for m in 0..<profile.toneCount {
            let hertz = Double(format.cyclesPerSample(tone: m)) * Double(format.rateHertz)
            #expect(abs(hertz - (profile.toneHertz(m) - profile.centreHertz)) < 1e-3, "tone \(m)")
            #expect(format.cyclesPerSample(tone: m) == -format.cyclesPerSample(tone: profile.toneCount - 1 - m))
        }
        #expect(abs(format.cyclesPerSample(offsetHertz: 96) - 0.032) < 1e-7)
    }

    /// A transmitter that is 0.5 % fast sends everything 0.5 % higher and in 1/1.005 of the time.
    @Test(arguments: Profile.all) func anOffsetSqueezesTime(profile: Profile) {
        let format = BasebandFormat(profile: profile)
        let offsetHertz = Float(0.005 * profile.centreHertz)
        #expect(abs(format.symbolLength(offsetHertz: offsetHertz) * 1.005 - Double(format.samplesPerSymbol)) < 1e-4)
        #expect(format.symbolLength(offsetHertz: 0) == Double(format.samplesPerSymbol))
        // ±0.5 % and ±0.95 % of 19,250 Hz are 96.25 and 182.875 Hz, in half spacings, rounded up.
        let half = profile.toneSpacingHertz / 2
        #expect(format.usualOffsetHalfSpacings == Int((96.25 / half).rounded(.up)))
        #expect(format.maximumOffsetHalfSpacings == Int((182.875 / half).rounded(.up)))
    }

    /// 115 Hz a second for thirteen symbols: 0.34, 1.36 and 5.4 half spacings.
    @Test(arguments: zip(Profile.all, [(0, 1), (1, 1), (4, 2)]))
    func driftsOfAWalkAreSearched(profile: Profile, drifts: (maximum: Int, step: Int)) {
        let format = BasebandFormat(profile: profile)
        #expect(format.maximumDriftHalfSpacings == drifts.maximum)
        #expect(format.driftStepHalfSpacings == drifts.step)
    }
}
