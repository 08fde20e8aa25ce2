import EarshotChannel
import EarshotLoopback
import Testing

@Suite struct PairMeasurementTests {
    /// Half of the amplitude is −6.02 dB; a sweep over noise 51 dB below it is found and measured within 0.1 dB.
    @Test func findsAndMeasuresASweep() throws {
        let sweep = try Sweep(sampleRateHertz: 48_000, amplitude: 0.25)
        var recording = [Float](repeating: 0, count: 200_000)
        for (n, sample) in sweep.samples.enumerated() { recording[100_000 + n] += 0.5 * sample }
        var noise = WhiteNoise(seed: 1)
        noise.add(to: &recording, deviation: 0.001)
        let arrival = try #require(SweepDetector(sweep).detect(in: recording))
        #expect(abs(arrival.firstSample - 100_000) < 0.1)
        let report = try PairMeasurement.measure(
            recording: recording, sampleRateHertz: 48_000, sweep: sweep, arrival: arrival, quiet: 0..<48_000)
        #expect(abs(report.band.meanDecibels + 6.02) < 0.1)
    }
}
