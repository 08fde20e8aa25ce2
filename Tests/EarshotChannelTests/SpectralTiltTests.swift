import EarshotChannel
import RealModule
import TestSupport
import Testing

@Suite struct SpectralTiltTests {
    /// A pulse of each frequency, 4 ms of deviation in time or 40 Hz in frequency, keeps its shape and loses what the line
    /// between 18.5 and 20 kHz says. Over ±2 · 40 Hz the gain is not constant, 0.64 dB to either side, and its mean in
    /// amplitude is off by ½(0.64/8.686)²/4 = 0.006 dB.
    @Test(arguments: [44_100, 48_000])
    func gainFallsAlongALine(rate: Int) {
        let tilt = SpectralTilt(tiltDecibels: 12)
        for (hertz, expected) in [(5_000.0, 0.0), (18_000, 0), (18_875, -3), (19_250, -6), (19_625, -9), (20_800, -12)]
        {
            let x = (0..<5_000).map { n in
                let t = Double(n - 2_500) / Double(rate) / 0.004
                return Float(.exp(-t * t / 2) * .cos(2 * .pi * hertz * Double(n) / Double(rate)))
            }
            let y = tilt.apply(to: x, sampleRateHertz: rate)
            #expect(y.count == x.count)
            func energy(_ samples: [Float]) -> Double {
                Reference.toneEnergy(
                    samples.map { ComplexDouble(Double($0), 0) }, cyclesPerSample: hertz / Double(rate))
            }
            let gain = decibels(energy(y) / energy(x))
            #expect(abs(gain - expected) < 0.05, "\(hertz) Hz: \(gain) dB")
        }
    }

    /// Whatever the band, no tilt is no change.
    @Test func noTiltIsNoChange() {
        var random = Randomness(seed: 41)
        let x = random.samples(1_000)
        let y = SpectralTilt(tiltDecibels: 0).apply(to: x, sampleRateHertz: 48_000)
        #expect(zip(x, y).allSatisfy { abs($0 - $1) < 1e-6 }, "seed 41")
    }
}
