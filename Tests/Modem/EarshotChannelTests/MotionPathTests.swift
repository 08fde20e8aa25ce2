import EarshotBasics
import RealModule
import TestSupport
import Testing

@testable import EarshotChannel

@Suite(.optimized) struct MotionPathTests {
    /// Speed is the derivative of distance, here a central difference over ±1 ms. Its error is h²/6·d‴, 2e-7 ·
    /// 5·(2π)³/6, for pacing, and half a millisecond's acceleration, 0.5e-3 · 28 m/s², at the ends of a turn.
    @Test func speedIsTheChangeOfDistance() {
        let paths: [(MotionPath, Double)] = [
            (.walkingBy(metresPerSecond: 1.5, nearestMetres: 0.3, nearestAtSeconds: 2), 1e-4),
            (.pacing(meanMetres: 2, swingMetres: 0.3, periodSeconds: 1), 1e-4),
            (
                MotionPath(
                    startMetres: 5,
                    legs: [
                        .init(seconds: 1, metresPerSecond: -1.4), .init(seconds: 0.5, metresPerSecond: 0),
                        .init(seconds: 1.5, metresPerSecond: 1.4),
                    ], turningSeconds: 0.1), 0.008
            ),
        ]
        for (path, tolerance) in paths {
            for step in 1..<400 {
                let t = Double(step) / 100
                let change = path.distanceMetres(atSeconds: t + 0.001) - path.distanceMetres(atSeconds: t - 0.001)
                #expect(abs(path.metresPerSecond(atSeconds: t) - change / 0.002) < tolerance, "at \(t) s")
            }
        }
    }

    /// The speed of a hand has the requested root mean square. Over 64 hands of 4 s with eight sines each, the mean
    /// square varies by about 5 %, so the root by 2.5 %. The limit is four times that.
    @Test func handsHaveTheirSpeed() {
        var generator = SeededGenerator(seed: 92)
        var (sum, count) = (0.0, 0.0)
        for _ in 0..<64 {
            let path = AirMotion.held(rootMeanSquareMetresPerSecond: 0.3, highestHertz: 2).path(seconds: 4, &generator)
            for step in 0..<400 {
                let speed = path.metresPerSecond(atSeconds: Double(step) / 100)
                sum += speed * speed
                count += 1
            }
            #expect((0..<400).allSatisfy { path.distanceMetres(atSeconds: Double($0) / 100) >= 0 }, "seed 92")
        }
        let speed = (sum / count).squareRoot()
        #expect(abs(speed - 0.3) < 0.03, "\(speed) m/s, seed 92")
    }

    /// Turns are as long on one side of a corner as on the other, so legs have their stated length.
    @Test func legsEndAtTheirDistance() {
        let path = MotionPath(
            startMetres: 5,
            legs: [
                .init(seconds: 1, metresPerSecond: -1.5), .init(seconds: 2, metresPerSecond: 0.5),
                .init(seconds: 1, metresPerSecond: 0),
            ], turningSeconds: 0.4)
        for (seconds, metres, speed) in [
            (0.0, 5.0, -1.5), (0.8, 3.8, -1.5), (1.0, 3.6, -0.5), (1.2, 3.6, 0.5), (2.5, 4.25, 0.5), (3.5, 4.5, 0),
            (100, 4.5, 0),
        ] {
            #expect(abs(path.distanceMetres(atSeconds: seconds) - metres) < 1e-12, "at \(seconds) s")
            #expect(abs(path.metresPerSecond(atSeconds: seconds) - speed) < 1e-12, "at \(seconds) s")
        }
    }

    @Test func passersByComeAndGo() {
        let path = MotionPath.walkingBy(metresPerSecond: 2, nearestMetres: 3, nearestAtSeconds: 5)
        #expect(path.distanceMetres(atSeconds: 5) == 3)
        #expect(path.distanceMetres(atSeconds: 3) == 5 && path.distanceMetres(atSeconds: 7) == 5)
        #expect(path.metresPerSecond(atSeconds: 3) == -1.6 && path.metresPerSecond(atSeconds: 7) == 1.6)
    }

    /// A path without legs is at rest, and without turns the speed may jump.
    @Test func degeneratePathsAreStill() {
        let still = MotionPath(startMetres: 2, legs: [], turningSeconds: 1)
        #expect(still.distanceMetres(atSeconds: 9) == 2 && still.metresPerSecond(atSeconds: 9) == 0)
        let jumping = MotionPath(startMetres: 2, legs: [.init(seconds: 1, metresPerSecond: 1)], turningSeconds: 0)
        #expect(jumping.distanceMetres(atSeconds: 0.5) == 2.5 && jumping.distanceMetres(atSeconds: 2) == 3)
    }
}
