import EarshotChannel
import RealModule
import TestSupport
import Testing

@testable import EarshotLoopback

@Suite(.optimized) struct ClockStepTests {
    private static let sweepStarts = 48_000..<1_948_000

    /// 45 tokens of three profiles whose starts have a deviation of 3, 6 and 8 samples, and the clock that two sweeps show: 40 ppm
    /// and the step.
    /// - Parameter step: the samples by which all sound after `place`, 0 ... 1, is later.
    private static func scene(
        _ step: Double, after place: Double, count: Int = 45, seed: UInt64
    ) -> (points: [FrameClock.Point], clock: ClockDifference) {
        var noise = WhiteNoise(seed: seed)
        let duration = Double(sweepStarts.count)
        let points = (0..<count).map { index in
            let profile = index * 7 % 3
            let sent = Double(sweepStarts.lowerBound) + duration * (Double(index) + 0.5) / Double(count)
            let isLater = sent > Double(sweepStarts.lowerBound) + place * duration
            let error = [3, 6, 8][profile] * Double(noise.next())
            return FrameClock.Point(
                profileName: "\(profile)", sent: sent,
                heard: 1.00004 * sent + [50, 300, 120][profile] + (isLater ? step : 0) + error)
        }
        return (points, ClockDifference(ppm: 40 + step / duration * 1e6, deviationPPM: 0.02))
    }

    /// One in 5,000 such scenes has an F above 27; the limit is 40.
    @Test func clocksAloneAreNoStep() {
        for seed in UInt64(1)...200 {
            let scene = Self.scene(0, after: 0.5, seed: seed)
            #expect(
                !ClockStep.isPresent(in: scene.points, clock: scene.clock, sweepStarts: Self.sweepStarts), "\(seed)")
        }
    }

    /// h = 48 samples, 1 ms: F ≈ h²·n/12 times the mean of 1/σ² = 48²·45/12·(1/9 + 1/36 + 1/64)/3 = 445, eleven times the limit.
    @Test(arguments: [-48.0, 48], [0.1, 0.3, 0.5, 0.8]) func aMillisecondIsFound(step: Double, place: Double) {
        for seed in UInt64(1)...20 {
            let scene = Self.scene(step, after: place, seed: seed)
            #expect(ClockStep.isPresent(in: scene.points, clock: scene.clock, sweepStarts: Self.sweepStarts), "\(seed)")
        }
    }

    /// Each seventh start is that of an echo, 20 ms late.
    @Test func startsOfEchoesAreNoStep() {
        for seed in UInt64(1)...50 {
            var scene = Self.scene(0, after: 0.5, seed: seed)
            for index in stride(from: Int(seed) % 7, to: scene.points.count, by: 7) { scene.points[index].heard += 960 }
            #expect(
                !ClockStep.isPresent(in: scene.points, clock: scene.clock, sweepStarts: Self.sweepStarts), "\(seed)")
        }
    }

    @Test func fewTokensTellNothing() {
        for count in 0..<18 {
            let scene = Self.scene(480, after: 0.5, count: count, seed: 1)
            #expect(!ClockStep.isPresent(in: scene.points, clock: scene.clock, sweepStarts: Self.sweepStarts))
        }
        let enough = Self.scene(480, after: 0.5, count: 18, seed: 1)
        #expect(ClockStep.isPresent(in: enough.points, clock: enough.clock, sweepStarts: Self.sweepStarts))
    }
}
