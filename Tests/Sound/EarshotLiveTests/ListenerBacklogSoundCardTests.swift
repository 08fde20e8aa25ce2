import EarshotAudio
import EarshotLive
import EarshotModem
import Foundation
import TestSupport
import Testing

/// Events that no reader takes. ALSA's null device delivers silence as fast as it is read.
@Suite(.apart) struct ListenerBacklogSoundCardTests {
    private static func listener() throws -> Listener {
        var options = Listener.Options()
        // A report for every block.
        options.levelIntervalSeconds = 1e-6
        options.profiles = [.fast]
        return try Listener(DeviceRequest(SoundCard.name("null")), options: options)
    }

    @Test func whatASlowReaderMissesIsCounted() async throws {
        let listener = try await onThread { try Self.listener() }
        var events = listener.events().makeAsyncIterator()
        var missed = 0
        var (pause, last) = (0.1, ListenerEvent?.none)
        while missed == 0, pause < 60 {
            try await Task.sleep(for: .seconds(pause))
            pause *= 2
            // After a full buffer comes the number of events that found no room.
            for _ in 0..<Listener.maximumBacklog + 4 where missed == 0 {
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

    /// However long the listener ran without a reader, its last events are the number of missed ones and the summary.
    @Test func theEndIsNotMissed() async throws {
        let listener = try await onThread { try Self.listener() }
        let events = listener.events()
        try await Task.sleep(for: .seconds(2))
        try await onThread { listener.stop() }
        try await Task.sleep(for: .milliseconds(300))
        var all: [ListenerEvent] = []
        for await event in events { all.append(event) }
        #expect(all.count <= Listener.maximumBacklog + 2)
        guard case .ended(let summary)? = all.last else {
            Issue.record("the last event is \(String(describing: all.last))")
            return
        }
        let missed = all.map { if case .missed(let count) = $0 { count } else { 0 } }.reduce(0, +)
        #expect(all.count < Listener.maximumBacklog || missed > 0)
        #expect(summary.heardSeconds > 0)
    }

    /// Two streams of one listener end with the same event; a third, opened after the end, holds only that event.
    @Test func eventsCanBeAskedForAgain() async throws {
        let listener = try await onThread { try Self.listener() }
        async let first = listener.events().reduce(into: [ListenerEvent]()) { $0.append($1) }
        async let second = listener.events().reduce(into: [ListenerEvent]()) { $0.append($1) }
        try await Task.sleep(for: .milliseconds(200))
        try await onThread { listener.stop() }
        let third = await [first, second].map(\.last) + [listener.events().first { _ in true }]
        let summaries = third.map { last -> ListenerSummary? in
            if case .ended(let summary)? = last { summary } else { nil }
        }
        #expect(summaries[0] != nil)
        #expect(summaries[1] == summaries[0] && summaries[2] == summaries[0])
        let all = await listener.events().reduce(0) { count, _ in count + 1 }
        #expect(all == 1)
    }

    /// A stream whose reader leaves does not end the others.
    @Test func oneStreamIsLeftAndAnotherGoesOn() async throws {
        let listener = try await onThread { try Self.listener() }
        let events = listener.events()
        for await _ in listener.events() { break }
        var iterator = events.makeAsyncIterator()
        for _ in 0..<2 * Listener.maximumBacklog {
            if case .ended? = await iterator.next() {
                Issue.record("it ended")
                return
            }
        }
        listener.stop()
    }

    /// A reader is cancelled while events arrive. The end of its stream must not wait for the lock that is
    /// held while the stream receives an event.
    @Test func aReaderThatIsCancelledAmidEventsStopsNothing() async throws {
        let listener = try await onThread { try Self.listener() }
        // This stream keeps the listener at work.
        let kept = listener.events()
        for turn in 0..<5_000 {
            let reader = Task { for await _ in listener.events() {} }
            for _ in 0..<turn % 500 { await Task.yield() }
            reader.cancel()
            await reader.value
        }
        listener.stop()
        withExtendedLifetime(kept) {}
    }

    @Test func theSoundIsTakenOnce() async throws {
        let listener = try await onThread { try Self.listener() }
        try await onThread {
            var (count, hasEnded) = (0, false)
            try listener.run { event in
                count += 1
                if count == 10 {
                    #expect(throws: DeviceError.self) { try listener.run { _ in Issue.record("it listens twice") } }
                    listener.stop()
                }
                if case .ended = event { hasEnded = true }
            }
            #expect(hasEnded)
            let error = #expect(throws: DeviceError.self) { try listener.run { _ in Issue.record("it listens again") } }
            #expect(error?.kind == .unsupported && error?.isWorthRetrying == false)
        }
    }

    /// A loop that breaks and a stream that is dropped leave no thread.
    @Test func unreadEventsDoNotKeepAThread() async throws {
        let before = Holdings.threadCount
        for _ in 0..<30 {
            let listener = try await onThread { try Self.listener() }
            _ = listener.events()
        }
        // Each listener has two threads. Other tests have some too.
        let after = try await onThread { Holdings.wait(until: before + 30) { Holdings.threadCount } }
        #expect(after <= before + 30)
    }
}
