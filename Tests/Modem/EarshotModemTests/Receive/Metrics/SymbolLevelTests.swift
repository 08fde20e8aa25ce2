import EarshotBasics
import EarshotDSP
import RealModule
import TestSupport
import Testing

@testable import EarshotModem

@Suite(.optimized) struct SymbolLevelTests {
    /// Noise of a power, with a tone in one place.
    private func symbol(
        _ random: inout SeededGenerator, _ toneCount: Int, power: Float = 1, tone: Float = 0
    ) -> [Float] {
        (0..<toneCount).map { $0 == 3 ? tone : -power * .log(Float.random(in: 1e-6...1, using: &random)) }
    }

    private func inverse(_ energies: [Float], noise: Float = 1) -> Float {
        let inverseNoise = [Float](repeating: 1 / noise, count: energies.count)
        return SymbolLevel.inverse(energies.span, from: 0, inverseNoise.span, energies.count)
    }

    /// 3 dB are two deviations for 16 tones, three for 32, four for 64; a tone 20 dB above the noise adds ln 100/M nepers, 1.3
    /// dB at most.
    @Test(arguments: zip([16, 32, 64], [85, 98, 99])) func steadyNoiseHasNoLevel(toneCount: Int, percent: Int) {
        var random = SeededGenerator(seed: 41)
        var steadyCount = 0
        for _ in 0..<1_000 { steadyCount += inverse(symbol(&random, toneCount, tone: 100)) == 1 ? 1 : 0 }
        #expect(steadyCount >= 10 * percent, "\(steadyCount) of 1,000, seed 41")
    }

    /// A level counts by its excess over 3 dB, relative to noise of any power.
    @Test(arguments: [16, 32, 64], [-24.0, -20, 20, 40]) func aLevelIsMeasured(toneCount: Int, level: Double) {
        var (random, sum) = (SeededGenerator(seed: 42), 0.0)
        let (power, noise) = (Float.pow(10, Float(level / 10)) * 1e-6, Float(1e-6))
        for _ in 0..<1_000 {
            let energies = symbol(&random, toneCount, power: power, tone: 10 * power)
            sum -= decibels(Double(inverse(energies, noise: noise)))
        }
        let expected = level - (level > 0 ? 3.01 : -3.01)
        // The tone's own share is ln(10·e^γ)/M nepers: 0.8 dB for 16 tones.
        #expect(abs(sum / 1_000 - expected) < 1, "\(sum / 1_000) dB, seed 42")
    }

    /// In digital silence a tone exceeds the level by 1/0.01 at most, besides the tolerance of 2. Silence alone stays
    /// silent, and so does the ringing in a hole, 36 dB below the noise.
    @Test func silenceIsNoNoise() {
        var energies = [Float](repeating: 0, count: 32)
        #expect(inverse(energies) == 1)
        energies[7] = 1e-3
        let noise: Float = 1e-4
        let ratio = energies[7] / noise * inverse(energies, noise: noise)
        #expect(ratio > 9 && ratio < 200, "\(ratio)")
        var random = SeededGenerator(seed: 43)
        #expect(inverse(symbol(&random, 32, power: 1e-3 / 4)) == 1)
    }
}
