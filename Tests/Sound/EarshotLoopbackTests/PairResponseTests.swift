import EarshotChannel
import EarshotCoding
import EarshotModem
import RealModule
import TestSupport
import Testing

@testable import EarshotLoopback

@Suite(.optimized) struct PairResponseTests {
    private static let rates = [44_100, 48_000, 96_000]

    /// A filter of three taps has a known response at every frequency. In silence the gate, which cuts off the ringing
    /// of the band's ends, leaves less than 0.07 dB (measured); the limit is 0.1. At 30 dB the sweep's energy in 1 Hz
    /// is 1,000·1,500 Hz/4,067 Hz/s over that of noise in the gate of 60 ms, 38 dB above it. Each bin has 50·0.06 = 3
    /// independent values, so it is known to 4.34·√(2/(6,150·3)) = 0.045 dB if the path has 0 dB, and to twice that at
    /// −6 dB; the limit is five deviations. The band's mean over 30 bins is known five times better.
    @Test(arguments: rates, [nil, 30] as [Double?])
    func knownFiltersAreRecovered(rate: Int, snrDecibels: Double?) throws {
        var scene = PairScene(sampleRateHertz: rate, snrDecibels: snrDecibels)
        let taps: [Float] = [0.6, 0, 0, 0.25, 0, -0.1]
        scene.path = { convolve($0, taps) }
        let report = try #require(try scene.report())
        let measured = try scene.sweep().measuredHertz
        #expect(report.bins.count == Int((measured.upperBound - 17_000) / 50))
        var sum = 0.0
        for bin in report.bins {
            let response = taps.enumerated().reduce(ComplexDouble()) { sum, tap in
                sum + Double(tap.element) * .phasor(turns: -bin.hertz / Double(rate) * Double(tap.offset))
            }
            let expected = decibels(response.power)
            let deviation = snrDecibels == nil ? 0.02 : 0.045 * .pow(10, -expected / 20)
            #expect(abs(bin.responseDecibels - expected) < 5 * deviation, "\(bin), not \(expected) dB, seed 1")
            if (18_500..<20_000).contains(bin.hertz) { sum += response.power / 30 }
        }
        #expect(abs(report.band.meanDecibels - decibels(sum)) < 0.1)
        #expect(report.receivedLevelDecibels == report.band.meanDecibels + 20 * .log10(0.25))
        // The filter's own delay: its last tap is 5 samples late.
        #expect(abs(report.latencySamples) < 2.5)
        #expect(report.cutOffHertz == nil)
    }

    /// The subtracted noise is right on average: if the path passes nothing, response and noise cancel. At 0 dB, with
    /// only noise above 19 kHz, the mean of 80 bins is at most a hundredth of the passband: noise in the gate is 8 dB
    /// below the sweep, so 80 bins of three values leave 0.16/√240 = 1 %. Without subtraction it is 16 %.
    @Test func theNoiseIsSubtracted() throws {
        var scene = PairScene(snrDecibels: 0)
        scene.path = PairScene.lowpass(18_800, sampleRateHertz: 48_000)
        let (sweep, recording) = (try scene.sweep(), try scene.recording())
        let arrival = try #require(SweepDetector(sweep).detect(in: recording))
        let bins = (0..<76).map { 19_050 + 50 * Double($0)..<19_100 + 50 * Double($0) }
        let response = SweepResponse(
            recording, sweep: sweep, arrival: arrival,
            noise: PowerDensity(recording, in: 0..<58_000, sampleRateHertz: 48_000), bins: bins)
        let mean = response.powers.reduce(0, +) / 76
        let noise = response.noisePowers.reduce(0, +) / 76
        #expect(abs(noise - 0.162) < 0.02)
        #expect(abs(mean) < 0.04, "\(mean), seed 1")
    }

    /// White noise of a known level: a second gives 1,500 Hz to 0.1 dB, see `PowerDensity`; the limit is three deviations.
    @Test(arguments: rates, [-100, -60, -20] as [Double])
    func knownNoiseIsMeasured(rate: Int, levelDecibels: Double) throws {
        let snrDecibels = 20 * Double.log10(0.25) - levelDecibels
        // A path so good that the sweep is found in any noise.
        let report = try #require(try PairScene(sampleRateHertz: rate, snrDecibels: snrDecibels).report())
        #expect(abs(report.noiseLevelDecibels - levelDecibels) < 0.3, "seed 1")
        #expect(abs(report.noiseDensityDecibels - levelDecibels + 31.76) < 0.31, "seed 1")
        #expect(abs(report.expectedSNRDecibels(sentLevelDecibels: -20) - (-20 - levelDecibels)) < 0.6, "seed 1")
        for bin in report.bins {
            // Two bins of 15 %, correlated by Hann's window: 0.6 dB; the worst of 118 at four deviations.
            #expect(abs(bin.noiseDensityDecibels - levelDecibels + 31.76) < 2.4, "seed 1")
        }
    }

    /// `expectedSNRDecibels` agrees with a receiver's report of a token on the same path, less 0.5 dB of its own timing
    /// loss: to 1 dB, see `RobustnessTests`. In a room the receiver reports less: it counts the reverberation as noise.
    @Test func theExpectedSNRIsWhatAReceiverReports() throws {
        var scene = PairScene(snrDecibels: 18)
        scene.path = { convolve($0, [0.3, 0, 0.1]) }
        let report = try #require(try scene.report())
        let transmitter = try Transmitter(sampleRateHertz: 48_000)
        var air = [Float](repeating: 0, count: 20_000)
        air += scene.path(transmitter.samples(try Payload(Array("earshot!".utf8)), amplitude: 0.25))
        air += [Float](repeating: 0, count: 20_000)
        var noise = WhiteNoise(seed: 8)
        noise.add(
            to: &air, deviation: WhiteNoise.deviation(amplitude: 0.25, snrDecibels: 18, sampleRateHertz: 48_000))
        var receiver = try Receiver(sampleRateHertz: 48_000)
        var snr: [Double] = []
        receiver.push(air.span) { snr.append(Double($0.snrDecibels)) }
        receiver.flush { snr.append(Double($0.snrDecibels)) }
        let expected = report.expectedSNRDecibels(sentLevelDecibels: 20 * .log10(0.25))
        #expect(snr.count == 1)
        #expect(abs(try #require(snr.first) + 0.5 - expected) < 1, "\(snr), \(expected)")
    }

    /// The edge of a sinc is at half amplitude.
    @Test(arguments: [18_700, 19_000, 19_500, 19_800, 20_900] as [Double], [44_100, 48_000])
    func cutOffsAreFound(hertz: Double, rate: Int) throws {
        var scene = PairScene(sampleRateHertz: rate)
        scene.path = PairScene.lowpass(hertz, sampleRateHertz: rate)
        let report = try #require(try scene.report())
        #expect(abs(try #require(report.cutOffHertz) - hertz) <= 100)
    }

    /// In a room single bins vary by 10 dB and more. An edge is still found, and a path without an edge has none.
    @Test(arguments: [Room.a, .b], [19_000, 19_800, nil] as [Double?])
    func cutOffsAreFoundInARoom(room: Room, hertz: Double?) throws {
        for seed in UInt64(1)...12 {
            var scene = PairScene(snrDecibels: 30, seed: seed)
            scene.path = { samples in
                let cut = hertz.map { PairScene.lowpass($0, sampleRateHertz: 48_000)(samples) } ?? samples
                return room.apply(to: cut, sampleRateHertz: 48_000, seed: seed)
            }
            let report = try #require(try scene.report())
            if let hertz {
                #expect(abs(try #require(report.cutOffHertz, "seed \(seed)") - hertz) <= 200, "seed \(seed)")
            } else {
                #expect(report.cutOffHertz == nil, "seed \(seed)")
            }
        }
    }

    /// A loudspeaker that falls by 20 dB over the band cuts nothing off, and its fall is measured: 20 dB over 1,500 Hz less
    /// one bin.
    @Test func aFallIsNoCutOff() throws {
        var scene = PairScene()
        scene.path = { FrequencyResponse.tilt(decibels: 20).apply(to: $0, sampleRateHertz: 48_000) }
        let report = try #require(try scene.report())
        #expect(report.cutOffHertz == nil)
        #expect(abs(report.band.rippleDecibels - 20 * 1_450 / 1_500) < 0.3)
        #expect(report.band.worstHertz == 19_975)
        // The mean of 10^(−2u), u from 0 to 1, is (1 − 10⁻²)/(2·ln 10) = −6.67 dB; the mean in decibels is −10.
        #expect(abs(report.band.meanDecibels + 6.67) < 0.1)
        #expect(abs(report.band.effectiveDecibels + 10) < 0.1)
    }

    /// A sine clipped at a share c of its peak exceeds that share for 2/π·acos(c) of the time: 2.8,
    /// 29, 42 and 70 % for 0.001, 1, 2 and 6 dB. Below full scale only flat tops show the clipping. A
    /// loud sound without clipping has almost none.
    @Test(arguments: [1, 2, 6] as [Double], [1, 0.5] as [Float])
    func clippingIsMeasured(excessDecibels: Double, ceiling: Float) throws {
        let scene = PairScene(amplitude: ceiling * Float(Double.pow(10, excessDecibels / 20)), snrDecibels: nil)
        let report = try #require(try scene.report { $0.map { min(max($0, -ceiling), ceiling) } })
        // The ramps take 20 of 1,500 ms.
        let share = 2 / .pi * Double.acos(.pow(10, -excessDecibels / 20))
        #expect(abs(report.clipping.flatTopShare - share) < 0.02)
        #expect(abs(report.clipping.fullScaleShare - (ceiling == 1 ? share : 0)) < 0.02)
        #expect(report.clipping.isAudible)
        let whole = try #require(try PairScene(amplitude: 0.9 * ceiling, snrDecibels: 60).report())
        #expect(!whole.clipping.isAudible, "\(whole.clipping)")
    }

    /// Missing parts are reported; nothing crashes.
    @Test func missingPartsAreReported() throws {
        let scene = PairScene()
        let (sweep, recording) = (try scene.sweep(), try scene.recording())
        let arrival = try #require(SweepDetector(sweep).detect(in: recording))
        func measure(
            _ recording: [Float], _ arrival: SweepArrival, quiet: Range<Int>, rate: Int = 48_000
        ) throws(PairError) -> PairReport {
            try PairMeasurement.measure(
                recording: recording, sampleRateHertz: rate, sweep: sweep, arrival: arrival, quiet: quiet)
        }
        #expect(throws: PairError.quietTooShort(sampleCount: 0, neededCount: 1_920)) {
            try measure(recording, arrival, quiet: 9_999_999..<Int.max)
        }
        #expect(throws: PairError.sampleRatesDiffer(recordingHertz: 44_100, sweepHertz: 48_000)) {
            try measure(recording, arrival, quiet: 0..<40_000, rate: 44_100)
        }
        for count in [131_000, 60_000, 100, 0] {
            #expect(throws: PairError.self) { try measure(Array(recording[..<count]), arrival, quiet: 0..<40_000) }
        }
        for place in [Double.nan, .infinity, -.infinity, 1e300, -1e300, -5] {
            var lost = arrival
            lost.strongestSample = place
            #expect(throws: PairError.self) { try measure(recording, lost, quiet: 0..<40_000) }
            lost = arrival
            lost.firstSample = place
            _ = try? measure(recording, lost, quiet: 0..<40_000)
        }
    }

    /// NaN and infinite samples count as silence, and all reported figures are finite.
    @Test func garbageNeverBecomesAFigure() throws {
        var recording = try PairScene().recording()
        for n in stride(from: 0, to: recording.count, by: 1_111) {
            recording[n] = [.nan, .infinity, -.infinity][n % 3]
        }
        let report = try #require(try PairScene().report { _ in recording })
        #expect(report.bins.allSatisfy { $0.responseDecibels.isFinite && $0.noiseDensityDecibels.isFinite })
        #expect(abs(report.band.meanDecibels) < 0.1)
        let silent = [Float](repeating: .nan, count: 200_000)
        let arrival = SweepArrival(
            firstSample: 60_000, strongestSample: 60_000, qualityDecibels: 20, deviationSamples: 0)
        let nothing = try PairMeasurement.measure(
            recording: silent, sampleRateHertz: 48_000, sweep: PairScene().sweep(), arrival: arrival,
            quiet: 0..<40_000)
        #expect(nothing.bins.allSatisfy { $0.responseDecibels == -200 })
        #expect(nothing.noiseLevelDecibels == -200)
    }
}
