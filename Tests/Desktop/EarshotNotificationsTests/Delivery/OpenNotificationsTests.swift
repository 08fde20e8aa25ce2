import TestSupport
import Testing

@testable import EarshotNotifications

@Suite(.apart) struct OpenNotificationsTests {
    private func all(_ stream: AsyncStream<NotificationEvent>) async -> [NotificationEvent] {
        var events: [NotificationEvent] = []
        for await event in stream { events.append(event) }
        return events
    }

    @Test func `each notification receives its own events until it is closed`() async {
        var open = OpenNotifications()
        let (first, second) = (open.open(7, identifier: "a"), open.open(8, identifier: "b"))
        open.take(.action(identifier: "yes"), of: 8)
        open.take(.closed(.dismissed), of: 7)
        open.take(.action(identifier: "late"), of: 7)
        open.take(.closed(.expired), of: 8)
        #expect(await all(first) == [.closed(.dismissed)])
        #expect(await all(second) == [.action(identifier: "yes"), .closed(.expired)])
        #expect(open.count == 0 && open.number(of: "a") == nil && open.oldest == nil)
    }

    @Test func `events that overtake the answer are kept while one is awaited`() async {
        var open = OpenNotifications()
        open.take(.action(identifier: "no request"), of: 1)
        open.take(.action(identifier: "yes"), of: 1, isAwaitingNumbers: true)
        open.take(.closed(.dismissed), of: 1, isAwaitingNumbers: true)
        open.take(.closed(.dismissed), of: 2, isAwaitingNumbers: true)
        let events = open.open(1, identifier: "a")
        open.forgetEarlyEvents()
        #expect(await all(events) == [.action(identifier: "yes"), .closed(.dismissed)])
        let others = open.open(2, identifier: "b")
        open.closeAll(.serviceLeft)
        #expect(await all(others) == [.closed(.serviceLeft)])
    }

    @Test func `a request with the same identifier replaces`() async {
        var open = OpenNotifications()
        let first = open.open(1, identifier: "a")
        _ = open.open(2, identifier: "b")
        let second = open.open(1, identifier: "a")
        #expect(await all(first) == [.closed(.replaced)])
        #expect(open.identifiers == ["b", "a"])
        open.take(.closed(.expired), of: 1)
        #expect(await all(second) == [.closed(.expired)])
    }

    @Test func `a flood of events is bounded, and its end is not lost`() async {
        var open = OpenNotifications()
        let events = open.open(1, identifier: "a")
        for number in 0..<10_000 { open.take(.action(identifier: "\(number)"), of: 1) }
        open.take(.closed(.dismissed), of: 1)
        let found = await all(events)
        #expect(found.count == 16 && found.last == .closed(.dismissed))
        for number in 0..<10_000 {
            open.take(.action(identifier: "x"), of: UInt32(number), isAwaitingNumbers: true)
        }
        var count = 0
        for number in 0..<10_000 {
            let stream = open.open(UInt32(number), identifier: "n\(number)")
            open.close(UInt32(number), .removed)
            count += await all(stream).count - 1
        }
        #expect(count == 64)
    }
}
