import EarshotBasics
import Testing

@testable import EarshotBluetooth

@Suite struct SilencePatienceTests {
    private func patience(_ power: ScanPower, rounds: [Int]) -> Duration {
        var silence = SilencePatience()
        for round in rounds { silence.hear(now: .seconds(4 * round + 1)) }
        return silence.patience(power)
    }

    @Test func aDeviceThatIsHeardInEachRoundIsLostSoon() {
        #expect(patience(.continuous, rounds: [0]) == ScanRounds.patience)
        #expect(patience(.continuous, rounds: Array(0..<100)) == ScanRounds.patience)
        #expect(patience(.low, rounds: [0]) == .seconds(25.5))
        #expect(patience(.low, rounds: Array(0..<100)) == .seconds(13.5))
    }

    @Test func aDeviceThatWasAwayStartsAnew() {
        let rare = (0..<10).map { $0 * 3 }
        #expect(patience(.continuous, rounds: rare) > .seconds(40))
        #expect(patience(.continuous, rounds: rare + [27 + 16]) == ScanRounds.patience)
    }

    /// One reception in each round is one round, however many frames it has.
    @Test func framesOfOneRoundCountOnce() {
        #expect(patience(.low, rounds: [0, 0, 0, 0, 0]) == patience(.low, rounds: [0]))
    }

    /// A device that stays near, as a scan hears it.
    struct Air: CustomTestStringConvertible, Sendable {
        var power: ScanPower
        /// A passive scan of bluetoothd listens for 30 ms of every 60 ms, an active one always.
        var isPassive: Bool
        var intervalSeconds: Double
        /// The share of frames that are lost.
        var loss: Double
        var testDescription: String {
            "\(power) \(isPassive ? "passive" : "active") each \(intervalSeconds) s, loss \(loss)"
        }

        static var all: [Air] {
            [(ScanPower.continuous, true), (.continuous, false), (.low, true), (.low, false)].flatMap {
                power, isPassive in
                [0.125, 1.28].flatMap { interval in
                    [0, 0.1, 0.3, 0.5].map {
                        Air(power: power, isPassive: isPassive, intervalSeconds: interval, loss: $0)
                    }
                }
            }
        }

        /// The times of the receptions in some hours: the first of each round, because a
        /// controller reports a known device once.
        func receptions(hours: Double, _ generator: inout SeededGenerator) -> [Double] {
            let listens = ScanRounds(power).scanning / .seconds(1)
            let phase = Double.random(in: 0..<0.06, using: &generator)
            var now = Double.random(in: 0..<intervalSeconds, using: &generator)
            var (times, lastRound) = ([Double](), -1.0)
            while now < hours * 3_600 {
                let round = (now / 4).rounded(.down)
                let isHeard = !isPassive || (now + phase).truncatingRemainder(dividingBy: 0.06) < 0.03
                let isLost = Double.random(in: 0..<1, using: &generator) < loss
                if round > lastRound, now - 4 * round < listens, isHeard, !isLost {
                    times.append(now)
                    lastRound = round
                }
                // The standard's random delay of an advertisement is up to 10 ms.
                now += intervalSeconds + Double.random(in: 0..<0.01, using: &generator)
            }
            return times
        }
    }

    /// Frames are lost, and the device stays. With the same patience for all devices, it is
    /// lost up to 160 times an hour (BEACONS.md).
    @Test(arguments: Air.all, [37, 3_000_017] as [UInt64])
    func aDeviceThatStaysIsNotLost(_ air: Air, seed: UInt64) {
        let hours = 20.0
        var generator = SeededGenerator(seed: seed)
        let receptions = air.receptions(hours: hours, &generator)
        var (silence, losses, fixedLosses, waits) = (SilencePatience(), 0, 0, [Double]())
        var until: Duration?
        for (index, seconds) in receptions.enumerated() {
            let now = Duration.seconds(seconds)
            if let until, now > until { losses += 1 }
            if index > 0, seconds - receptions[index - 1] > 9 { fixedLosses += 1 }
            silence.hear(now: now)
            let patience = silence.patience(air.power)
            waits.append(patience / .seconds(1))
            until = now + patience
        }
        waits.sort()
        let perHour = Double(losses) / hours
        // If a device is heard in a quarter of the rounds, the maximum patience loses it once in an hour.
        let isHard = air.power == .low && air.isPassive && air.intervalSeconds > 1 && air.loss == 0.5
        // The goal, plus twice the standard deviation of a Poisson count whose mean is the
        // goal: sqrt(goal * hours) / hours.
        let goal = isHard ? 2.0 : 1.0
        #expect(
            perHour <= goal + 2 * (goal / hours).squareRoot(),
            "\(perHour) an hour, \(Double(fixedLosses) / hours) with 9 s for all; median \(waits[waits.count / 2]) s"
        )
        #expect(waits.last.map { $0 <= 64 } == true)
    }
}
