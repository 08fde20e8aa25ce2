import Testing

@testable import EarshotBluetooth

@Suite struct AirTimeTests {
    @Test(arguments: [[0], [0, 1], [0, 3, 7, 9], Array(0..<8)]) func eachSeatHasAnEqualShare(seats: [Int]) {
        let time = AirTime(seats: seats)
        var now = time.turn / 2
        var order: [Int] = []
        for _ in 0..<3 * seats.count {
            if let seat = time.seat(at: now) { order.append(seat) }
            #expect(time.untilNext(now) == time.turn / 2)
            now += time.turn
        }
        #expect(order == seats + seats + seats)
    }

    @Test func fourHaveTheirTurnsInThreeSeconds() {
        #expect(AirTime(seats: [0, 1, 2, 3]).turn == .milliseconds(750))
        #expect(AirTime(seats: Array(0..<20)).turn == .milliseconds(600), "a turn has time for four frames")
        #expect(AirTime(seats: []).seat(at: .seconds(5)) == nil)
    }

    /// A scan in low power hears 1.5 s of every 4 s, always the same part. A sender must
    /// not always send in the other part.
    @Test(arguments: 2...5) func noTurnIsAlwaysInARestOfAScan(count: Int) {
        let time = AirTime(seats: Array(0..<count))
        for offset in stride(from: 0.0, to: 4.0, by: 0.5) {
            var heard: Set<Int> = []
            // The time for which a beacon is remembered in low power.
            for step in 0..<200 {
                let now = Double(step) * 0.1
                guard (now + offset).truncatingRemainder(dividingBy: 4) < 1.5 else { continue }
                if let seat = time.seat(at: .seconds(now)) { heard.insert(seat) }
            }
            #expect(heard.count == count, "\(count) senders, \(offset) s")
        }
    }
}
