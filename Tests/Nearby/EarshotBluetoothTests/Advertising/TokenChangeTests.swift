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

    /// How the devices of a room change their tokens.
    enum Manner { case atOnce, silent, together }

    /// The chance that an observer says rightly which token follows which: 400 rooms of ten devices, ten minutes each. Each
    /// device has a new token each minute, from a time of its own, and a clock that is wrong by up to 50 ms. The observer links
    /// the token that appears with the one that has been gone longest, or shortest, whichever is right more often.
    private func linkChance(_ manner: Manner) throws -> Double {
        var generator = SeededGenerator(seed: 37)
        var (changes, right) = (0, (longest: 0, shortest: 0))
        for _ in 0..<400 {
            var events: [(seconds: Double, device: Int, isEnd: Bool)] = []
            for device in 0..<10 {
                let phase = Double.random(in: 0..<60, using: &generator)
                let wrong = Double.random(in: -0.05...0.05, using: &generator)
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

    @Test func timeDoesNotTellWhichTokenFollowsWhich() throws {
        let (atOnce, silent, together) = (
            try linkChance(.atOnce), try linkChance(.silent), try linkChance(.together)
        )
        #expect(atOnce > 0.99 && silent > 0.7 && together < 0.25, "\(atOnce), \(silent), \(together)")
    }
}
