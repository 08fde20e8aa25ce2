import EarshotAudio
import EarshotLive
import EarshotModem
import Foundation
import TestSupport
import Testing

/// Events that nobody takes. ALSA's null device delivers silence as fast as it is read.
@Suite struct ListenerBacklogTests {
    private static func listener() throws -> Listener {
        var options = Listener.Options()
        // A report for every block.
        options.levelIntervalSeconds = 1e-6
        options.profiles = [.fast]
        return try Listener(DeviceRequest(SoundCard.name("null")), options: options)
    }

    @Test func whatASlowReaderMissesIsCounted() async throws {
        let listener = try await onThread { try Self.listener() }
        var events = listener.events.makeAsyncIterator()
        var missed = 0
        var (pause, last) = (0.1, ListenerEvent?.none)
        while missed == 0, pause < 60 {
            try await Task.sleep(for: .seconds(pause))
            pause *= 2
            // If its buffer is full, the next thing behind it is how many had no room.
            for _ in 0..<Listener.largestBacklog + 4 where missed == 0 {
                last = await events.next()
                if case .missed(let count)? = last { missed = count }
            }
        }
        #expect(missed > 0)
        listener.stop()
        while let event = await events.next() { last = event }
        guard case .ended? = last else {
            Issue.record("the last event is \(String(describing: last))")
            return
        }
    }

    /// However long it ran unread, the last events are how many are missing and the summary.
    @Test func theEndIsNotMissed() async throws {
        let listener = try await onThread { try Self.listener() }
        let events = listener.events
        try await Task.sleep(for: .seconds(2))
        try await onThread { listener.stop() }
        try await Task.sleep(for: .milliseconds(300))
        var all: [ListenerEvent] = []
        for await event in events { all.append(event) }
        #expect(all.count <= Listener.largestBacklog + 2)
        guard case .ended(let summary)? = all.last else {
            Issue.record("the last event is \(String(describing: all.last))")
            return
        }
        let missed = all.map { if case .missed(let count) = $0 { count } else { 0 } }.reduce(0, +)
        #expect(all.count < Listener.largestBacklog || missed > 0)
        #expect(summary.heardSeconds > 0)
    }

    /// Whoever leaves the loop or the whole stream alone leaves no thread behind.
    @Test func unreadEventsDoNotKeepAThread() async throws {
        let before = Holdings.threadCount
        for _ in 0..<30 {
            let listener = try await onThread { try Self.listener() }
            _ = listener.events
        }
        // Each has two threads. Other tests have some too.
        let after = try await onThread { Holdings.wait(until: before + 30) { Holdings.threadCount } }
        #expect(after <= before + 30)
    }
}
