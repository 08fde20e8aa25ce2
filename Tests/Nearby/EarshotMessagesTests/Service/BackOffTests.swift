import Testing

@testable import EarshotMessages

/// A generator of the same numbers each time.
private struct Chance: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return state ^ (state >> 29)
    }
}

struct BackOffTests {
    @Test(arguments: [1, 2, 3, 4, 5] as [UInt64])
    func pausesGrowWithinTheirBounds(seed: UInt64) {
        var generator = Chance(state: seed)
        var backOff = BackOff(BackOff.Bounds())
        var widest = Duration.milliseconds(500)
        for _ in 0..<200 {
            let pause = backOff.pause(using: &generator)
            #expect(pause >= widest / 2 && pause <= widest)
            widest = min(widest * 2, .seconds(30))
        }
        backOff.reset()
        #expect(backOff.pause(using: &generator) <= .milliseconds(500))
    }

    @Test func pausesDiffer() {
        var generator = Chance(state: 1)
        let pauses = (0..<100).map { _ in
            var backOff = BackOff(BackOff.Bounds())
            return backOff.pause(using: &generator)
        }
        #expect(Set(pauses).count > 90)
    }

    @Test func thePauseOfTheServiceIsTheMinimum() {
        var generator = Chance(state: 1)
        var backOff = BackOff(BackOff.Bounds())
        let pause = backOff.pause(retryAfter: .seconds(20), using: &generator)
        #expect(pause > .seconds(20) && pause <= .milliseconds(20_500))
        // Zero and negative values are ignored.
        #expect(backOff.pause(retryAfter: .seconds(-5), using: &generator) >= .milliseconds(500))
    }

    @Test func thePauseOfTheServiceIsLimited() {
        var generator = Chance(state: 1)
        var backOff = BackOff(BackOff.Bounds())
        #expect(backOff.pause(retryAfter: .seconds(Int(UInt32.max)), using: &generator) <= .seconds(301))
    }
}
