import Testing

@testable import EarshotBasics

struct BackOffTests {
    @Test(arguments: [1, 2, 3, 4, 5] as [UInt64])
    func pausesGrowWithinTheirBounds(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var backOff = BackOff(BackOff.Bounds())
        var widest = Duration.milliseconds(500)
        for _ in 0..<200 {
            let pause = backOff.spreadPause(using: &generator)
            #expect(pause >= widest / 2 && pause <= widest)
            widest = min(widest * 2, .seconds(30))
        }
        backOff.reset()
        #expect(backOff.spreadPause(using: &generator) <= .milliseconds(500))
    }

    @Test func pausesDoubleUpToTheLongest() {
        var backOff = BackOff(BackOff.Bounds(shortest: .milliseconds(200), longest: .seconds(2)))
        let pauses = (0..<6).map { _ in backOff.pause().seconds }
        #expect(pauses == [0.2, 0.4, 0.8, 1.6, 2, 2])
        backOff.reset()
        #expect(backOff.pause() == .milliseconds(200) && backOff.failureCount == 1)
    }

    @Test func pausesDiffer() {
        var generator = SeededGenerator(seed: 1)
        let pauses = (0..<100).map { _ in
            var backOff = BackOff(BackOff.Bounds())
            return backOff.spreadPause(using: &generator)
        }
        #expect(Set(pauses).count > 90)
    }

    @Test func thePauseOfTheServiceIsTheMinimum() {
        var generator = SeededGenerator(seed: 1)
        var backOff = BackOff(BackOff.Bounds())
        let pause = backOff.spreadPause(retryAfter: .seconds(20), using: &generator)
        #expect(pause > .seconds(20) && pause <= .milliseconds(20_500))
        // Zero and negative values are ignored.
        #expect(backOff.spreadPause(retryAfter: .seconds(-5), using: &generator) >= .milliseconds(500))
    }

    @Test func thePauseOfTheServiceIsLimited() {
        var generator = SeededGenerator(seed: 1)
        var backOff = BackOff(BackOff.Bounds())
        #expect(backOff.spreadPause(retryAfter: .seconds(Int(UInt32.max)), using: &generator) <= .seconds(301))
    }
}
