import EarshotBasics
import EarshotChannel
import Testing

@testable import EarshotAudio

/// The detector looks twenty times a second at a device that reports its delay to ±0.5 ms, as PulseAudio does.
struct HoleDetectorTests {
    /// - Parameters:
    ///   - ppm: how much slower the device's clock runs than the system's.
    ///   - hole: the length of the hole and its time, in seconds.
    /// - Returns: the detected holes and their times.
    func holes(
        seconds: Double, ppm: Double = 0, hole: (at: Double, seconds: Double)? = nil, outlierAt: Double? = nil
    ) -> [(at: Double, seconds: Double)] {
        var detector = HoleDetector()
        var generator = SeededGenerator(seed: 11)
        return (0..<Int(20 * seconds)).compactMap { look in
            let now = Double(look) / 20
            var played = now * (1 - ppm / 1e6) - 0.3 + 0.001 * (Double(generator.uniform()) - 0.5)
            if let hole, now >= hole.at { played -= hole.seconds }
            if let outlierAt, abs(now - outlierAt) < 0.001 { played -= 0.1 }
            return detector.look(playedSeconds: played, nowSeconds: now).map { (now, $0) }
        }
    }

    @Test(arguments: [-1_000.0, 0, 1_000])
    func noneInAnHourOfClocksThatDrift(ppm: Double) {
        #expect(holes(seconds: 3_600, ppm: ppm).isEmpty)
    }

    @Test(arguments: [0.03, 0.1, 2])
    func aHoleIsFoundAtTheSecondLook(length: Double) throws {
        let found = holes(seconds: 20, hole: (10, length))
        try #require(found.count == 1)
        #expect(abs(found[0].at - 10.05) < 0.001)
        // Two looks, each with an error of ±0.5 ms.
        #expect(abs(found[0].seconds - length) <= 0.001)
    }

    @Test func aHoleShorterThanTheThresholdIsIgnored() {
        #expect(holes(seconds: 20, hole: (10, HoleDetector.thresholdSeconds - 0.002)).isEmpty)
    }

    @Test func oneDelayedLookIsIgnored() {
        #expect(holes(seconds: 20, outlierAt: 10).isEmpty)
    }
}
