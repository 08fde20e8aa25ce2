import EarshotBasics
import EarshotChannel
import RealModule
import TestSupport
import Testing

@Suite(.optimized) struct RecordedNoiseTests {
    /// The recording is a quarter as long as the measurement, so the measurement holds at least four turns of the loop.
    /// Repeated noise has a line spectrum, whose mean is that of the loop, exact except at the edges of the windows,
    /// 3 Hz on either side of 1,500 Hz.
    @Test(arguments: NoiseColour.allCases, [48_000, 96_000])
    func equalsWhiteNoiseInTheBand(colour: NoiseColour, rate: Int) throws {
        var recording = Noise(colour: colour, deviation: 0.01, sampleRateHertz: rate, seed: 21)
        let deviation = WhiteNoise.deviation(amplitude: 0.25, snrDecibels: 6, sampleRateHertz: rate)
        let noise = try RecordedNoise(
            recording.read(count: 250_000), deviation: deviation, sampleRateHertz: rate, seed: 3)
        let measured = decibels(0.25 * 0.25 / 2 / NoiseTests.bandPower(noise, rate: rate))
        #expect(abs(measured - 6) < 0.1, "\(measured) dB, seed 21")
    }

    @Test func withoutTheBandTheTotalPowerCounts() throws {
        var recording = Noise(colour: .pink, deviation: 0.01, sampleRateHertz: 8_000, seed: 22)
        var noise = try RecordedNoise(recording.read(count: 80_160), deviation: 0.2, sampleRateHertz: 8_000, seed: 3)
        // Ten turns; the last window extends beyond the end by up to 4,096 of 80,000 samples, and their power varies by
        // a tenth.
        let power = noise.read(count: 800_000).reduce(0) { $0 + Double($1) * Double($1) } / 800_000
        #expect(abs(decibels(power / 0.04)) < 0.1, "\(decibels(power / 0.04)) dB, seed 22")
    }

    /// The loop fades from the last 20 ms of the recording to its first 20 ms, with powers
    /// that sum to 1, and continues from there.
    @Test func fadesFromItsEndToItsBeginning() throws {
        let recording = (0..<10_000).map { Float($0) }
        var noise = try RecordedNoise(recording, gain: 2, sampleRateHertz: 48_000, seed: 4)
        let samples = noise.read(count: 20_000)
        let length = 10_000 - 960
        // In the first turn, the sample before the fade is the last unfaded one.
        let seam = try #require(samples.firstIndex(of: 2 * recording[length - 1])) + 1
        for index in 0..<960 {
            let angle = Double.pi / 2 * (Double(index) + 0.5) / 960
            let expected = 2 * (Double(index) * .sin(angle) + Double(length + index) * .cos(angle))
            #expect(abs(Double(samples[seam + index]) - expected) < 1e-6 * 20_000, "sample \(index)")
        }
        #expect(samples[seam + 960] == 2 * 960)
        #expect(samples[seam..<seam + 1_000] == samples[(seam + length)..<seam + length + 1_000])
    }

    /// A sine that does not fit the loop jumps by up to twice its amplitude at the cut. With the fade, neighbouring
    /// samples differ by no more than the maximum slopes of the sine and the fade: 1.42·(2π·f/F + π/2/960).
    @Test func seamDoesNotClick() throws {
        let samples = (0..<30_250).map { n in Float(ComplexDouble.phasor(turns: 0.001 * Double(n)).y) }
        var noise = try RecordedNoise(samples, gain: 1, sampleRateHertz: 48_000, seed: 5)
        let turns = noise.read(count: 70_000)
        let steepest = zip(turns, turns.dropFirst()).map { abs($1 - $0) }.max() ?? 0
        #expect(Double(steepest) < 1.42 * (2 * .pi * 0.001 + .pi / 2 / 960))
    }

    @Test func seedsBeginElsewhere() throws {
        let recording = (0..<10_000).map { Float($0) }
        let first = try (0..<100 as Range<UInt64>).map { seed in
            var noise = try RecordedNoise(recording, gain: 1, sampleRateHertz: 48_000, seed: seed)
            return noise.read(count: 1)[0]
        }
        #expect(Set(first).count > 90)
        #expect((first.min() ?? 0) < 2_000 && (first.max() ?? 0) > 8_000)
    }

    @Test func rejectsRecordingsThatCannotBeNoise() throws {
        func make(_ samples: [Float]) throws(RecordedNoiseError) {
            _ = try RecordedNoise(samples, deviation: 1, sampleRateHertz: 48_000, seed: 1)
        }
        #expect(throws: RecordedNoiseError.empty) { try make([]) }
        #expect(throws: RecordedNoiseError.notFinite(sample: 2)) { try make([0, 1, .nan]) }
        #expect(throws: RecordedNoiseError.silentBand(hertz: 18_500...20_000)) {
            try make([Float](repeating: 0, count: 1_000))
        }
        // A tone of 1 kHz in whole periods represents a compressed recording without power
        // above 16 kHz. The fade changes as slowly.
        let tone = (0..<48_960).map { n in Float(ComplexDouble.phasor(turns: Double(n) / 48).x) }
        #expect(throws: RecordedNoiseError.silentBand(hertz: 18_500...20_000)) { try make(tone) }
        for error in [.empty, .notFinite(sample: 2), .silentBand(hertz: 1...2)] as [RecordedNoiseError] {
            #expect("\(error)".contains("use") || "\(error)".contains("again"))
        }
        // One sample is a constant.
        var constant = try RecordedNoise([0.5], gain: 2, sampleRateHertz: 48_000, seed: 1)
        #expect(constant.read(count: 3) == [1, 1, 1])
    }

    @Test func isTheSameInAnyBlocks() throws {
        var random = SeededGenerator(seed: 5)
        let recording = random.samples(3_333)
        try expectSameInAnyBlocks {
            try RecordedNoise(recording, deviation: 0.1, sampleRateHertz: 48_000, seed: 6)
        }
    }
}
