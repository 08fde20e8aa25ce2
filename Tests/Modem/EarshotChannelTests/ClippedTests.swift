import EarshotBasics
import EarshotChannel
import RealModule
import TestSupport
import Testing

@Suite(.optimized) struct ClippedTests {
    /// A sine of amplitude A clipped at L = A·sin θ has odd harmonics only,
    ///
    ///     b₁ = 2/π·(Aθ + L·cos θ),   b₃ = 4/π·(A·(sin 2θ/4 − sin 4θ/8) + L·cos 3θ/3)
    ///     P = 1/π·(A²·(θ − sin 2θ/2) + L²·(π − 2θ))
    ///
    /// Periods of 1,000 samples: a sum differs from the integral by the order of (2π/1,000)² = 4e-5.
    @Test(arguments: [0.3, 0.8, 0.999])
    func harmonicsAreThoseOfAClippedSine(ratio: Double) {
        let amplitude = 1.7
        let level = ratio * amplitude
        let sine = PilotTone(hertz: 48, amplitude: Float(amplitude), phaseTurns: 0.1, sampleRateHertz: 48_000)
        var clipped = Clipped(sine, level: Float(level))
        let samples = clipped.read(count: 10_000).map { Double($0) }
        #expect(samples.allSatisfy { abs($0) <= Double(Float(level)) })
        let angle = Double.asin(ratio)
        let first = 2 / Double.pi * (amplitude * angle + level * .cos(angle))
        let third =
            4 / Double.pi
            * (amplitude * (.sin(2 * angle) / 4 - .sin(4 * angle) / 8) + level * .cos(3 * angle) / 3)
        let power =
            (amplitude * amplitude * (angle - .sin(2 * angle) / 2) + level * level * (.pi - 2 * angle)) / .pi
        func harmonic(_ number: Int) -> Double {
            let energy = Reference.toneEnergy(
                samples.map { ComplexDouble($0, 0) }, cyclesPerSample: Double(number) / 1_000)
            return 2 * energy.squareRoot()
        }
        #expect(abs(harmonic(1) - first) < 1e-4 * amplitude)
        #expect(abs(harmonic(2)) < 1e-4 * amplitude)
        #expect(abs(harmonic(3) - abs(third)) < 1e-4 * amplitude)
        let measured = samples.reduce(0) { $0 + $1 * $1 } / Double(samples.count)
        #expect(abs(measured - power) < 1e-4 * amplitude * amplitude)
    }

    @Test func samplesBelowTheLevelPass() {
        var random = SeededGenerator(seed: 2)
        let samples = random.samples(1_000)
        var clipped = Clipped(StoredSound(samples), level: 1)
        #expect(clipped.readAll() == samples)
    }

    @Test func scaledMultiplies() {
        var scaled = Scaled(StoredSound([1, -2, 0.5]), gain: -0.5)
        #expect(scaled.readAll() == [-0.5, 1, -0.25])
    }

    @Test func isTheSameInAnyBlocks() {
        var random = SeededGenerator(seed: 3)
        let sound = StoredSound(random.samples(20_000))
        expectSameInAnyBlocks { Clipped(Scaled(sound, gain: 2), level: 0.7) }
    }
}
