import EarshotBasics
import EarshotDSP
import RealModule
import TestSupport
import Testing

@testable import EarshotModem

/// The noise that search, refinement and detection divide by.
@Suite(.optimized) struct BandNoiseTests {
    /// Noise of power 1, and of `loudness` in the bins of tone `loudTone`.
    private func noise(_ profile: Profile, loudTone: Int?, loudness: Float, seed: UInt64) -> BandNoise {
        let format = BasebandFormat(profile: profile)
        let (binCount, rowCount) = (BandNoise.binCount(format), SyncSearch.blockRowCount)
        let first = 2 * (loudTone ?? 0) + format.maximumOffsetHalfSpacings
        var random = SeededGenerator(seed: seed)
        var noise = BandNoise(format: format)
        for _ in 0..<12 {
            let energies = (0..<rowCount * binCount).map { index in
                let isLoud = loudTone != nil && index / rowCount == first
                return -(isLoud ? loudness : 1) * Float.log(Float.random(in: 1e-6...1, using: &random))
            }
            noise.update(block: energies)
        }
        return noise
    }

    @Test(arguments: Profile.all) func eachToneHasItsBin(profile: Profile) {
        let format = BasebandFormat(profile: profile)
        let noise = noise(profile, loudTone: nil, loudness: 1, seed: 91)
        let reach = format.maximumOffsetHalfSpacings
        for tone in 0..<profile.toneCount {
            for halfSpacings in -reach...reach {
                let offsetHertz = Float(halfSpacings) * Float(profile.toneSpacingHertz) / 2
                #expect(
                    noise.inverse(tone: tone, offsetHertz: offsetHertz)
                        == noise.inverseFloor[2 * tone + halfSpacings + reach])
            }
            // An offset beyond the largest one counts as that.
            #expect(noise.inverse(tone: tone, offsetHertz: 1e5) == noise.inverseFloor[2 * tone + 2 * reach])
            #expect(noise.inverse(tone: tone, offsetHertz: -1e5) == noise.inverseFloor[2 * tone])
        }
    }

    /// All tones have the common noise except the one that stands out, here by a factor of 100.
    @Test(arguments: Profile.all) func aToneThatStandsOutHasItsOwn(profile: Profile) {
        var noise = noise(profile, loudTone: 3, loudness: 100, seed: 92)
        var inverses = [Float](repeating: -1, count: profile.toneCount)
        noise.writeInverses(offsetHertz: 0, into: &inverses)
        let common = inverses[0]
        // NoiseFloor's own tests check its accuracy; here a factor of 1.5 is enough to tell 1 from 100.
        #expect(common > 1 / 1.5 && common < 1.5, "\(common), seed 92")
        for tone in inverses.indices where tone != 3 { #expect(inverses[tone] == common, "tone \(tone), seed 92") }
        #expect(inverses[3] < common / 50, "seed 92")
        noise.forget()
        let binCount = BandNoise.binCount(BasebandFormat(profile: profile))
        noise.update(block: [Float](repeating: 1e-6, count: SyncSearch.blockRowCount * binCount))
        noise.writeInverses(offsetHertz: 0, into: &inverses)
        #expect(inverses.allSatisfy { $0 > 1e5 }, "the first block after forget() counts alone")
    }
}
