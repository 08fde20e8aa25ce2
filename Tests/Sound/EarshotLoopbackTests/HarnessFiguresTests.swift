import RealModule
import TestSupport
import Testing

@testable import EarshotLoopback

@Suite(.optimized) struct HarnessFiguresTests {
    @Test func spreadsAreOrderStatistics() throws {
        let spread = try #require(Spread((1...20).map(Double.init).reversed()))
        #expect(spread.minimum == 1 && spread.median == 11 && spread.percentile95 == 19 && spread.maximum == 20)
        let single = try #require(Spread([3]))
        #expect(single.percentile95 == 3 && single.median == 3)
        #expect(Spread([]) == nil)
    }

    /// A slope of 100 ppm, profiles that find their frames 50 and 300 samples late, and ±2 samples of error.
    @Test func tokensTellTheClocksWithoutSweeps() throws {
        var points: [FrameClock.Point] = []
        for index in 0..<20 {
            let isFar = index.isMultiple(of: 2)
            let sent = Double(index) * 100_000
            let error = Double(index % 3 - 1) * 2
            points.append(
                FrameClock.Point(
                    profileName: isFar ? "far" : "fast", sent: sent, heard: sent * 1.0001 + (isFar ? 300 : 50) + error))
        }
        let clock = try #require(FrameClock.difference(points))
        // σ/√Σ(x − x̄)² = 1.6/(√20·577,000) = 0.6 ppm.
        #expect(abs(clock.ppm - 100) < 3 * clock.deviationPPM)
        #expect((0.3...1.2).contains(clock.deviationPPM))
        #expect(FrameClock.difference(Array(points[..<5])) == nil)
        #expect(FrameClock.difference([FrameClock.Point](repeating: points[0], count: 10)) == nil)
    }

    @Test func levelsAreThoseOfTheGivenStretch() throws {
        var level = BandLevel(sampleRateHertz: 48_000)
        // A second each of 0.5, silence and 0.05 at 19,250 Hz.
        for amplitude in [Float(0.5), 0, 0.05] {
            level.push(Self.sine(amplitude).span)
        }
        let (loud, silent) = (level.decibels(over: 0..<48_000), level.decibels(over: 48_000..<96_000))
        let (quiet, later) = (level.decibels(over: 96_000..<143_000), level.decibels(over: 96_000..<200_000))
        #expect(abs(loud! + 6.02) < 0.05)
        #expect(silent! < -60)
        #expect(abs(quiet! + 26.02) < 0.05)
        #expect(later == nil)
        let none = level.decibels(over: 5..<5)
        #expect(none == nil)
        for _ in 0..<20 { level.push(Self.sine(0).span) }
        // Forgotten: the meter holds only 16 s.
        let gone = level.decibels(over: 0..<48_000)
        #expect(gone == nil)
    }

    @Test func departuresAreThoseOfTheNextReport() throws {
        let program = try TestProgram.make(count: 3)
        var departures = DepartureTimes(program)
        let starts = program.sendings.map(\.samples.lowerBound)
        departures.note(0, atSeconds: 10)
        #expect(departures.seconds.isEmpty)
        departures.note(starts[0] + 4_800, atSeconds: 20)
        #expect(departures.seconds.count == 1 && abs(departures.seconds[0] - 19.9) < 1e-9)
        // The device stopped meanwhile: its latest report counts.
        departures.note(starts[2], atSeconds: 40)
        #expect(departures.seconds.count == 3 && abs(departures.seconds[2] - 40) < 1e-9)
        #expect(abs(departures.seconds[0] - 19.9) < 1e-9)
        departures.note(5, atSeconds: 50)
        #expect(departures.sampleCount == starts[2])
    }

    private static func sine(_ amplitude: Float) -> [Float] {
        (0..<48_000).map { amplitude * Float.sin(2 * .pi * Float($0 * 19_250 % 48_000) / 48_000) }
    }
}
