import MessagesTestSupport
import TestSupport
import Testing

@testable import EarshotMessages

@Suite(.apart) struct EventQueueTests {
    private func received(_ id: Int) -> ReceivedMessage {
        ReceivedMessage(message: Message("\(id)"), isAuthenticated: true, id: "\(id)")
    }

    @Test func inOrder() async {
        let queue = EventQueue()
        for id in 1...3 { queue.add(.found(received(id))) }
        for id in 1...3 { #expect(await queue.next() == .found(received(id))) }
    }

    @Test func unreadPairsOfFoundAndLostAreDropped() async {
        let queue = EventQueue()
        queue.add(.found(received(1)))
        #expect(await queue.next() == .found(received(1)))
        for round in 0..<10_000 {
            queue.add(.lost(received(1 + round % 2)))
            queue.add(.found(received(2 - round % 2)))
        }
        queue.add(.lost(received(1)))
        // The first `lost` belongs to a `found` that was read. All other pairs leave no event.
        #expect(await queue.next() == .lost(received(1)))
    }

    @Test func readersSeeTheEnd() async {
        let queue = EventQueue()
        async let event = queue.next()
        queue.finish()
        #expect(await event == nil)
        queue.add(.found(received(1)))
        #expect(await queue.next() == nil)
    }

    @Test func severalReadersShareTheEvents() async throws {
        let queue = EventQueue()
        let count = 100
        let read = await withTaskGroup(of: [MessageEvent].self) { group in
            for _ in 0..<4 {
                group.addTask {
                    var events: [MessageEvent] = []
                    while let event = await queue.next() { events.append(event) }
                    return events
                }
            }
            group.addTask {
                for id in 0..<count {
                    queue.add(.found(received(id)))
                    await Task.yield()
                }
                // The end discards unread events, so the readers need time.
                #expect(await eventually { !queue.hasPending })
                queue.finish()
                return []
            }
            return await group.reduce(into: []) { $0 += $1 }
        }
        #expect(read.count == count && Set(read).count == count)
    }

    @Test func aCancelledReaderTakesNoEventFromTheOthers() async throws {
        let queue = EventQueue()
        let (first, second) = (Task { await queue.next() }, Task { await queue.next() })
        await aWhile()
        first.cancel()
        #expect(await first.value == nil)
        queue.add(.found(received(1)))
        #expect(await second.value == .found(received(1)))
    }
}
