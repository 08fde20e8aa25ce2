import EarshotBasics
import EarshotChannel
import RealModule
import TestSupport
import Testing

@Suite(.optimized) struct FrequencyResponseTests {
    /// The gain at a frequency, in dB: Σ h[n]·cos(2πf(n − D)). The sine part is zero, because h is symmetrical.
    private func gain(_ taps: [Float], _ hertz: Double, rate: Int) -> Double {
        let delay = taps.count / 2
        let sum = taps.indices.reduce(0.0) { sum, n in
            sum + Double(taps[n]) * ComplexDouble.phasor(turns: hertz / Double(rate) * Double(n - delay)).x
        }
        return 2 * decibels(abs(sum))
    }

    /// The response is right within 0.1 dB in the whole band, corners included: smoothing by 10.7 Hz, times 0.4 times
    /// the change of slope, makes 0.057 dB for 20 dB over 1,500 Hz.
    @Test(arguments: [3, 10, 20, -20] as [Double], [44_100, 48_000, 96_000])
    func tiltsFollowTheLine(tilt: Double, rate: Int) {
        let taps = FrequencyResponse.tilt(decibels: tilt).taps(sampleRateHertz: rate)
        #expect(taps.count == 2 * (rate / 24) + 1)
        #expect(taps.indices.allSatisfy { taps[$0] == taps[taps.count - 1 - $0] })
        for hertz in stride(from: 18_500.0, through: 20_000, by: 25) {
            let expected = -tilt * (hertz - 18_500) / 1_500
            #expect(abs(gain(taps, hertz, rate: rate) - expected) < 0.07, "\(hertz) Hz")
        }
        #expect(abs(gain(taps, 5_000, rate: rate)) < 0.002)
        #expect(abs(gain(taps, 18_300, rate: rate)) < 0.002)
        #expect(abs(gain(taps, 20_800, rate: rate) + tilt) < 0.01)
    }

    @Test(arguments: [FrequencyResponse.phoneLoudspeaker, .phoneMicrophone], [44_100, 48_000])
    func phonesFollowTheirCurve(response: FrequencyResponse, rate: Int) {
        let taps = response.taps(sampleRateHertz: rate)
        // Corners change by at most 13 dB/kHz, less than those of the tilts.
        for hertz in stride(from: 500.0, through: 21_900, by: 107) {
            let expected = response.decibels(atHertz: hertz)
            #expect(abs(gain(taps, hertz, rate: rate) - expected) < 0.07, "\(hertz) Hz")
        }
        #expect(abs(gain(taps, 19_250, rate: rate)) < 0.01)
        #expect(response.points.first?.decibels == (response == .phoneLoudspeaker ? 40 : 15))
    }

    /// At 400 dB/kHz the corner loses 0.0043 · 400 = 1.7 dB. Three deviations of the
    /// smoothing before it, nothing is lost.
    @Test(arguments: [19_000, 19_800] as [Double], [44_100, 48_000])
    func resamplersCutOff(hertz: Double, rate: Int) {
        let taps = FrequencyResponse.cutOff(atHertz: hertz).taps(sampleRateHertz: rate)
        for below in stride(from: 17_000, through: hertz - 50, by: 50) {
            #expect(abs(gain(taps, below, rate: rate)) < 0.05, "\(below) Hz")
        }
        #expect((-3 ... -1).contains(gain(taps, hertz, rate: rate)), "\(gain(taps, hertz, rate: rate)) dB")
        for above in stride(from: hertz + 250, through: 21_500, by: 50) {
            #expect(gain(taps, above, rate: rate) < -75, "\(above) Hz: \(gain(taps, above, rate: rate)) dB")
        }
    }

    @Test func pointsAreJoinedByLines() {
        let response = FrequencyResponse([
            .init(hertz: 100, decibels: 1), .init(hertz: 300, decibels: -3), .init(hertz: 400, decibels: 7),
        ])
        for (hertz, expected) in [(0.0, 1.0), (100, 1), (150, 0), (300, -3), (350, 2), (400, 7), (9_000, 7)] {
            #expect(response.decibels(atHertz: hertz) == expected)
        }
    }

    /// A tilt of 0 dB changes nothing, in any band. Beside the middle tap there are four thousand taps of 1e-7.
    @Test func noTiltIsOnlyADelay() {
        var random = SeededGenerator(seed: 41)
        let x = random.samples(9_000)
        let flat = FrequencyResponse.tilt(decibels: 0)
        let y = flat.apply(to: x, sampleRateHertz: 48_000)
        #expect(y.count == x.count && zip(x, y).allSatisfy { abs($0 - $1) < 3e-6 }, "seed 41")
        var filtered = Filtered(StoredSound(x), flat, sampleRateHertz: 48_000)
        #expect(filtered.delaySamples == 2_000)
        let late = filtered.readAll()
        #expect(late.count == 13_000)
        #expect(zip(x, late.dropFirst(2_000)).allSatisfy { abs($0 - $1) < 3e-6 }, "seed 41")
    }

    @Test func blocksOfAnySizeGiveTheSame() {
        var random = SeededGenerator(seed: 42)
        let design = Filtered.Design(.phoneMicrophone, sampleRateHertz: 48_000)
        let source = Filtered(StoredSound(random.samples(60_000)), design)
        expectSameInAnyBlocks(count: 70_000) { source }
    }
}
