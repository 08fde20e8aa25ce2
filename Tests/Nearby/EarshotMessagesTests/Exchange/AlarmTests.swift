import MessagesTestSupport
import Synchronization
import TestSupport
import Testing

@testable import EarshotMessages

@Suite(.apart) struct AlarmTests {
    private let rings = Counter()
    private let clock = ManualClock()

    private func alarm() -> Alarm {
        let rings = rings
        return Alarm(Timeline(clock)) { rings.add() }
    }

    /// Setting the calendar moves the dates that other processes read, but no alarm of this one.
    @Test(arguments: [3_600.0, 86_400, -3_600, -86_400]) func aCalendarThatIsSetRingsNoAlarm(move: Double) async {
        let calendar = Mutex(1_000_000.0)
        let timeline = Timeline(clock, calendar: { calendar.withLock(\.self) })
        let rings = rings
        let alarm = Alarm(timeline) { rings.add() }
        alarm.set(.seconds(10))
        #expect(await eventually { clock.sleeperCount == 1 })
        #expect(timeline.date(of: .seconds(10)) == 1_000_010)
        calendar.withLock { $0 += move }
        #expect(timeline.date(of: .seconds(10)) == 1_000_010 + move)
        clock.advance(by: .seconds(9))
        #expect(clock.sleeperCount == 1 && rings.count == 0)
        #expect(timeline.date(of: .seconds(10)) == 1_000_001 + move)
        clock.advance(by: .seconds(1))
        #expect(await eventually { rings.count == 1 })
    }

    @Test func itRingsOnceAtItsDate() async {
        let alarm = alarm()
        alarm.set(.seconds(10))
        #expect(await eventually { clock.sleeperCount == 1 })
        clock.advance(by: .seconds(9))
        #expect(clock.sleeperCount == 1 && rings.count == 0)
        clock.advance(by: .seconds(1))
        #expect(await eventually { rings.count == 1 })
        #expect(clock.sleeperCount == 0)
    }

    @Test func anotherDateTakesThePlaceOfTheFirst() async {
        let alarm = alarm()
        alarm.set(.seconds(10))
        alarm.set(.seconds(20))
        #expect(await eventually { clock.sleeperCount == 1 })
        clock.advance(by: .seconds(10))
        #expect(await eventually { clock.sleeperCount == 1 })
        #expect(rings.count == 0)
        alarm.set(nil)
        #expect(await eventually { clock.sleeperCount == 0 })
        clock.advance(by: .seconds(10))
        alarm.set(.seconds(1))
        #expect(await eventually { rings.count == 1 }, "a date that is over rings at once, and the others never")
        alarm.set(.seconds(1))
        #expect(await eventually { rings.count == 2 }, "it may be set to the date that it rang at")
    }

    @Test func itEndsWithItsOwner() async {
        var alarm: Alarm? = alarm()
        alarm?.set(.seconds(10))
        #expect(await eventually { clock.sleeperCount == 1 })
        alarm = nil
        #expect(await eventually { clock.sleeperCount == 0 })
        #expect(rings.count == 0)
    }
}

/// Counts events.
final class Counter: Sendable {
    private let number = Mutex(0)

    var count: Int { number.withLock { $0 } }

    func add() { number.withLock { $0 += 1 } }
}
