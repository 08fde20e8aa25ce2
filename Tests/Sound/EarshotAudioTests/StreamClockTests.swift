import EarshotBasics
import TestSupport
import Testing

@testable import EarshotAudio

/// A simulated device: the times at which its blocks are read, and the clock's estimates from them.
@Suite struct StreamClockTests {
    private static let rate = 48_000
    private static let period = 1_440

    /// A device with a converter that runs at `rate` · (1 + `ppm`/10⁶), read period by period.
    private struct Simulation {
        var clock = StreamClock(sampleRateHertz: StreamClockTests.rate)
        var ppm = 0.0
        /// The delay in seconds that the sound server's own losses have added.
        var lostSeconds = 0.0
        private(set) var blockCount = 0
        private(set) var claims: [(atSeconds: Double, frameCount: Int)] = []
        private(set) var now = 0.0
        /// The maximum error of the clock's time of a block's end; 0 in the first 5 s, while the clock learns.
        private(set) var worstSeconds = 0.0

        init(ppm: Double = 0) { self.ppm = ppm }

        /// The time at which the next block is complete.
        var dueSeconds: Double {
            let frames = Double((blockCount + 1) * StreamClockTests.period)
            return frames / (Double(StreamClockTests.rate) * (1 + ppm * 1e-6)) + lostSeconds
        }

        /// Reads the next block at `seconds`, or when it is complete, or after the one before: the latest of the three.
        mutating func read(at seconds: Double) {
            let due = dueSeconds
            now = max(now + 50e-6, seconds, due)
            blockCount += 1
            let missing = clock.received(StreamClockTests.period, at: Int64(now * 1e9) + 7_000_000_000)
            if missing > 0 { claims.append((now, missing)) }
            let end = Double(clock.endNanoseconds - 7_000_000_000) / 1e9
            if now > 5 { worstSeconds = max(worstSeconds, abs(end - due)) }
        }

        /// Reads for `seconds`, each block late by up to `jitter` seconds.
        mutating func run(seconds: Double, jitter: Double, using random: inout SeededGenerator) {
            let end = dueSeconds + seconds
            while dueSeconds < end { read(at: dueSeconds + Double.random(in: 0...jitter, using: &random)) }
        }

        /// Reads nothing for `seconds`, and then all waiting blocks.
        mutating func stall(seconds: Double) {
            let until = now + seconds
            while dueSeconds < until { read(at: until) }
        }
    }

    @Test func jitterIsNoLoss() {
        var random = SeededGenerator(seed: 51)
        var device = Simulation()
        for _ in 0..<600 {
            device.run(seconds: 1, jitter: 0.02, using: &random)
            device.read(at: device.dueSeconds + 0.2)
        }
        #expect(device.claims.isEmpty)
        #expect(device.clock.frameCount == device.blockCount * Self.period)
        // The minimum of more than 166 delays of up to 20 ms exceeds 1 ms with probability 0.95^166 = 0.02 %.
        #expect(device.worstSeconds < 0.001, "\(device.worstSeconds)")
    }

    @Test func aBacklogIsNoLoss() {
        var random = SeededGenerator(seed: 52)
        var device = Simulation()
        for round in 0..<200 {
            device.run(seconds: Double.random(in: 0.05...3, using: &random), jitter: 0.02, using: &random)
            // From shorter than one judgement to many of them.
            device.stall(seconds: round % 20 == 0 ? 30 : Double.random(in: 0.1...3, using: &random))
        }
        #expect(device.claims.isEmpty, "\(device.claims)")
        #expect(device.clock.frameCount == device.blockCount * Self.period)
    }

    @Test(arguments: [0.1, 0.3, 1, 5])
    func soundDiscardedByTheServerIsFound(seconds: Double) {
        var random = SeededGenerator(seed: 53)
        for phase in 0..<20 {
            var device = Simulation()
            device.run(seconds: 20 + 0.05 * Double(phase), jitter: 0.02, using: &random)
            device.lostSeconds += seconds
            let begin = device.dueSeconds
            device.run(seconds: 20, jitter: 0.02, using: &random)
            #expect(device.claims.count == 1, "\(device.claims)")
            guard let claim = device.claims.first else { continue }
            // The judgement period in which the loss falls may end before four blocks are late; the next one takes 1 s.
            #expect(claim.atSeconds - begin < 2.05)
            // Both ends of the difference are minimum delays of up to 20 ms: of 30 blocks,
            // or of one block for a short loss.
            #expect(abs(Double(claim.frameCount) / Double(Self.rate) - seconds) < 0.02)
            #expect(device.clock.frameCount == device.blockCount * Self.period + claim.frameCount)
        }
    }

    @Test func aLossBelowTheToleranceIsNotClaimed() {
        var random = SeededGenerator(seed: 54)
        var device = Simulation()
        for _ in 0..<20 {
            device.run(seconds: 20, jitter: 0.01, using: &random)
            device.lostSeconds += 0.03
        }
        #expect(device.claims.isEmpty, "\(device.claims)")
    }

    @Test(arguments: [-1_000.0, -100, 100, 1_000])
    func anotherClockIsNoLossInAnHour(ppm: Double) {
        var random = SeededGenerator(seed: 55)
        var device = Simulation(ppm: ppm)
        device.run(seconds: 3_600, jitter: 0.02, using: &random)
        #expect(device.claims.isEmpty, "\(device.claims)")
        #expect(device.clock.frameCount == device.blockCount * Self.period)
        // The clock follows within a window of 10 s, in which 1,000 ppm are 10 ms, plus the jitter as above.
        #expect(device.worstSeconds < 0.011, "\(device.worstSeconds)")
    }

    @Test func aRestartCountsMissingFramesAndLearnsAgain() {
        var random = SeededGenerator(seed: 56)
        var device = Simulation()
        #expect(device.clock.dueFrameCount(at: 1) == 0)
        device.run(seconds: 10, jitter: 0.005, using: &random)
        let before = device.clock.frameCount
        // Two seconds after the last block 2 s of sound are due, within the jitter.
        let now = Int64((device.dueSeconds + 2) * 1e9) + 7_000_000_000
        let due = device.clock.dueFrameCount(at: now)
        #expect(abs(due - 2 * Self.rate - Self.period) < Self.rate / 1_000, "\(due)")
        device.clock.restart(missing: due, at: now)
        #expect(device.clock.frameCount == before + due)
        #expect(device.clock.endNanoseconds == 0)
        #expect(device.clock.dueFrameCount(at: now + 1_000_000_000) == 0)
        // The new stream begins at once, and stays later than the old one for ever, and the clock does not count that as a loss.
        device.lostSeconds += 2.5
        device.run(seconds: 20, jitter: 0.005, using: &random)
        #expect(device.claims.isEmpty)
        #expect(device.clock.frameCount == device.blockCount * Self.period + due)
    }

    /// The process is stopped after a restart and before the first block; perhaps the device overruns again before it.
    @Test(arguments: [0.0, 0.03, 0.3, 0.52, 0.54, 1, 2.8, 60], [false, true])
    func aStopInARestartIsMissing(seconds: Double, isRepeated: Bool) {
        var clock = StreamClock(sampleRateHertz: Self.rate)
        clock.restart(missing: 100, at: 1_000_000_000)
        if isRepeated { clock.restart(missing: 0, at: 1_000_000_000 + Int64(seconds * 0.9e9)) }
        let missing = clock.received(Self.period, at: 1_000_000_000 + Int64(seconds * 1e9))
        let expected = seconds < 0.53 ? 0 : Int((seconds * Double(Self.rate)).rounded()) - Self.period
        #expect(missing == expected && clock.frameCount == 100 + Self.period + expected)
        #expect(clock.received(Self.period, at: 1_040_000_000 + Int64(seconds * 1e9)) == 0)
    }
}
