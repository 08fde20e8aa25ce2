import EarshotAudio
import EarshotCoding
import EarshotLive
import EarshotModem
import EarshotSystem
import Foundation
import Synchronization
import TestSupport
import Testing

/// `Listener` and `Broadcaster` in one process, through a sound server.
@Suite(.apart, .disabled(if: LiveCard.isSkipped, "EARSHOT_SKIP_SOUND_CARD=1 is set"))
struct ListenerSoundCardTests {
    private static let payloads = ["0123456789abcdef", "fedcba9876543210", "cafecafecafecafe"].map {
        try! Payload(hex: $0)
    }

    @Test func whatIsBroadcastIsHeardUntilTheTaskIsCancelled() async throws {
        let card = try await onThread { try LiveCard() }
        var options = Listener.Options()
        options.levelIntervalSeconds = 0.2
        let listener = try await onThread { [options] in try card.listener(options) }
        listener.ownPayloads = [Self.payloads[1]]
        #expect(listener.ownPayloads == [Self.payloads[1]])
        let broadcaster = try await onThread { try card.broadcaster() }

        let (heardStream, heardContinuation) = AsyncStream.makeStream(of: HeardFrame.self)
        let loop = Task {
            var levels: [LevelReport] = []
            for await event in listener.events() {
                if case .heard(let heard) = event { heardContinuation.yield(heard) }
                if case .level(let level) = event { levels.append(level) }
            }
            heardContinuation.finish()
            return levels
        }
        var sent: [Playback] = []
        for payload in Self.payloads { sent.append(try await broadcaster.broadcast(payload)) }
        // Waits as long as the last one takes: a sanitizer makes decoding ten times slower.
        let patience = Task {
            try await Task.sleep(for: .seconds(15))
            heardContinuation.finish()
        }
        var heard: [HeardFrame] = []
        for await frame in heardStream {
            heard.append(frame)
            if heard.count == Self.payloads.count { break }
        }
        patience.cancel()
        // The server has both streams.
        #expect(try await onThread { try card.streams().count } == 2)
        loop.cancel()
        let levels = await loop.value
        broadcaster.stop()

        #expect(heard.map(\.payload) == Self.payloads)
        #expect(heard.map(\.isOwn) == [false, true, false])
        for (heard, playback) in zip(heard, sent) {
            // The sound server and its buffers take up to 0.3 s.
            #expect(abs(Double(heard.startNanoseconds - playback.beginNanoseconds)) < 0.3e9)
        }
        #expect(levels.count >= 5)
        #expect((levels.map(\.bandDecibels).max() ?? -99) > -20)
        try await onThread { try card.waitUntilClosed() }
    }

    @Test func theLimitEndsIt() async throws {
        let card = try await onThread { try LiveCard() }
        var options = Listener.Options()
        options.secondsLimit = 0.5
        let listener = try await onThread { [options] in try card.listener(options) }
        var last: ListenerEvent?
        for await event in listener.events() { last = event }
        guard case .ended(let summary)? = last else {
            Issue.record("the last event is \(String(describing: last))")
            return
        }
        #expect(abs(summary.heardSeconds + summary.gapSeconds - 0.5) < 1e-9)
        #expect(summary.failure == nil)
        try await onThread { try card.waitUntilClosed() }
    }

    /// A consumer takes four times as long as the sound. A second after the limit of two it is stopped, and a second
    /// later it ends: after 4 s and a block, which has at most three events of 0.2 s.
    @Test func theLimitEndsASlowConsumer() async throws {
        let card = try await onThread { try LiveCard() }
        var options = Listener.Options()
        (options.secondsLimit, options.levelIntervalSeconds) = (2, 0.05)
        let listener = try await onThread { [options] in try card.listener(options) }
        let seconds = try await onThread {
            let begin = MonotonicTime.nanoseconds
            try listener.run { event in
                if case .level = event { usleep(200_000) }
            }
            return Double(MonotonicTime.nanoseconds - begin) / 1e9
        }
        #expect((3..<5).contains(seconds), "\(seconds) s")
        try await onThread { try card.waitUntilClosed() }
    }

    @Test func anotherThreadStopsIt() async throws {
        let card = try await onThread { try LiveCard() }
        let listener = try await onThread { try card.listener() }
        async let summary = onThread {
            var summary: ListenerSummary?
            var tapped = 0
            try listener.run(tap: { block, _ in tapped += block.frameCount }) { event in
                if case .ended(let value) = event { summary = value }
            }
            return (summary, tapped)
        }
        try await onThread { _ = usleep(500_000) }
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<3 { group.addTask { listener.stop() } }
        }
        let (ended, tapped) = try await summary
        let seconds = try #require(ended).heardSeconds
        #expect(seconds > 0.1)
        #expect(abs(seconds - Double(tapped) / Double(listener.format.sampleRateHertz)) < 1e-9)
        try await onThread { try card.waitUntilClosed() }
    }

    @Test func fiftyTimesOpenedAndClosedLeavesNothing() async throws {
        let card = try await onThread { try LiveCard() }
        let (descriptors, threads) = try await onThread {
            let before = (Holdings.descriptorCount, Holdings.threadCount)
            for number in 0..<50 {
                let listener = try card.listener()
                let broadcaster = try card.broadcaster()
                // Half of them are stopped, half are only released.
                if number % 2 == 0 {
                    listener.stop()
                    broadcaster.stop()
                }
            }
            try card.waitUntilClosed()
            return before
        }
        // Each device has one thread and the sound server's, and three descriptors or more. Other tests have some too.
        #expect(
            try await onThread { Holdings.wait(until: descriptors + 40) { Holdings.descriptorCount } } <= descriptors
                + 40)
        #expect(try await onThread { Holdings.wait(until: threads + 40) { Holdings.threadCount } } <= threads + 40)
    }
}
