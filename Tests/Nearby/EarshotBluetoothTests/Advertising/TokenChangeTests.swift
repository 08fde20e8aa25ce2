import EarshotBasics
import EarshotCoding
import Testing

@testable import EarshotBluetooth

@Suite struct TokenChangeTests {
    private func token(_ number: UInt8) throws -> Payload { try Payload([number, 0, 0, 0, 0, 0, 0, 0]) }

    @Test func onlyATokenThatIsNewIsSilentBefore() throws {
        var (change, generator) = (TokenChange(), SeededGenerator(seed: 1))
        #expect(change.next(try token(1), using: &generator) == nil)
        for number in 2...UInt8.max {
            let times = try #require(change.next(try token(number), using: &generator))
            #expect(times.end >= .zero && times.end < .seconds(1))
            #expect(times.begin >= .seconds(1) && times.begin < .seconds(2))
        }
        // The tokens of several publications take turns, without silence.
        #expect(change.next(try token(254), using: &generator) == nil)
        #expect(change.next(try token(255), using: &generator) == nil)
    }

    /// The ways in which the devices of a room change their tokens.
    enum Manner { case atOnce, silent, together }

    /// The chance that an observer correctly links a token with its successor: 4,000 devices in rooms of a given size,
    /// for ten minutes. Each device gets a new token every minute, from a time of its own. The observer links the new
    /// token with the one that has been gone longest, or shortest, whichever is right more often.
    ///
    /// - Parameter clockErrorSeconds: the largest error of a device's clock.
    private func linkChance(
        _ manner: Manner, deviceCount: Int = 10, clockErrorSeconds: Double = 0.05, seed: UInt64 = 37
    ) throws -> Double {
        var generator = SeededGenerator(seed: seed)
        var (changes, right) = (0, (longest: 0, shortest: 0))
        for _ in 0..<4_000 / deviceCount {
            var events: [(seconds: Double, device: Int, isEnd: Bool)] = []
            for device in 0..<deviceCount {
                let phase = Double.random(in: 0..<60, using: &generator)
                let wrong = Double.random(in: -clockErrorSeconds...clockErrorSeconds, using: &generator)
                var change = TokenChange()
                _ = change.next(try token(0), using: &generator)
                for number in 1...10 {
                    var begin = phase + 60 * Double(number)
                    // `Lease.rotationStep`.
                    if manner == .together { begin = (begin / 30).rounded(.up) * 30 + wrong }
                    let times = try #require(change.next(try token(UInt8(number)), using: &generator))
                    let (end, next) =
                        manner == .atOnce ? (0.001, 0) : (times.end / .seconds(1), times.begin / .seconds(1))
                    events += [(begin + min(end, next), device, true), (begin + max(end, next), device, false)]
                }
            }
            var gone: [Int] = []
            var goneAgain: [Int] = []
            for event in events.sorted(by: { $0.seconds < $1.seconds }) {
                if event.isEnd {
                    gone.append(event.device)
                    goneAgain.append(event.device)
                } else {
                    changes += 1
                    if gone.removeFirst() == event.device { right.longest += 1 }
                    if goneAgain.removeLast() == event.device { right.shortest += 1 }
                }
            }
        }
        return Double(max(right.longest, right.shortest)) / Double(changes)
    }

    @Test(arguments: [37, 3_000_017] as [UInt64]) func timeDoesNotTellWhichTokenFollowsWhich(seed: UInt64) throws {
        let (atOnce, silent, together) = (
            try linkChance(.atOnce, seed: seed), try linkChance(.silent, seed: seed),
            try linkChance(.together, seed: seed)
        )
        #expect(atOnce > 0.99 && silent > 0.7 && together < 0.25, "\(atOnce), \(silent), \(together)")
    }

    /// A device alone in a room is always recognised. Half of a room's devices change at the same
    /// multiple of 30 s, so the chance is about 2 / n for n devices whose clocks agree. It rises with
    /// clocks that are wrong by more than the silence.
    @Test func theChanceFallsWithTheDevices() throws {
        let counts = [1, 2, 4, 10, 20, 40]
        var last = 1.1
        for count in counts {
            let chances = try [0, 0.05, 0.5, 2].map {
                try linkChance(.together, deviceCount: count, clockErrorSeconds: $0, seed: 3_000_017)
            }
            print("\(count) devices, clocks wrong by 0, 50, 500, 2,000 ms: \(chances)")
            #expect(chances[1] < last)
            last = chances[1]
        }
        #expect(try linkChance(.together, deviceCount: 1, seed: 3_000_017) == 1)
    }
}
