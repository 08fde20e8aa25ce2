import Foundation
import TestSupport
import Testing

/// `publish` and `subscribe` in processes that hear each other through a real sound server, with a real `earshotd`.
@Suite(
    .apart,
    .disabled(
        if: ProcessInfo.processInfo.environment["EARSHOT_SKIP_SOUND_CARD"] == "1", "EARSHOT_SKIP_SOUND_CARD=1 is set"),
    .enabled(if: !MessageSession.service.isEmpty, "'make test-server' sets EARSHOTD"))
struct MessageSoundCardTests {
    /// Two devices find each other within 8.8 s (docs/DISCOVERY.md, the maximum of 21 runs); the limit is three times
    /// that, for a busy machine.
    private static let patienceSeconds = 40.0

    @Test(.enabled(if: SoundCard.isVirtual)) func aPublishedMessageIsFoundAndLost() async throws {
        let content = Data((0..<102_400).map { UInt8(truncatingIfNeeded: $0 &* $0 &+ 255) })
        let (session, subscriber, stranger, publisher, seconds) = try await onSoundCard {
            let session = try MessageSession()
            let (ours, theirs) = (try session.key(project: "ours"), try session.key(project: "theirs"))
            try session.serve()
            try session.scratch.save(content, "large.bin")
            let subscriber = try session.subscribe(key: ours)
            let stranger = try session.subscribe(key: theirs)
            let publisher = try session.publish(["hello"], key: ours)
            try MessageSession.wait(subscriber, within: Self.patienceSeconds) { $0.text == "hello" }
            let large = try session.publish(["--file", "large.bin", "--type", "large"], key: ours)
            try MessageSession.wait(subscriber, within: Self.patienceSeconds) { $0.type == "large" }
            publisher.signal(SIGINT)
            let begin = Date()
            try MessageSession.wait(subscriber, within: Self.patienceSeconds) {
                $0.event == "lost" && $0.text == "hello"
            }
            let seconds = Date().timeIntervalSince(begin)
            for program in [large, subscriber, stranger] {
                program.signal(SIGINT)
                _ = program.waitForEnd(within: 10)
            }
            _ = publisher.waitForEnd(within: 10)
            return (session, subscriber, stranger, publisher, seconds)
        }
        let found = MessageSession.events("found", subscriber)
        #expect(found.map(\.type) == ["", "large"] && found.allSatisfy { $0.authenticated == true })
        #expect(found.last?.base64.flatMap { Data(base64Encoded: $0) } == content)
        // The message was withdrawn. Loss by silence would take 14 s or more.
        #expect(seconds < 7, "lost after \(seconds) s")
        #expect(MessageSession.events("found", stranger).isEmpty, "found a message of another project")
        #expect(subscriber.status == 0 && publisher.status == 0 && stranger.status == 1)
        print("found after \(found.map(\.at_s)) s, lost \(seconds) s after the publisher was asked to end")
        withExtendedLifetime(session) {}
    }

    @Test(.enabled(if: SoundCard.isVirtual)) func clientsSurviveAKilledService() async throws {
        let (session, subscriber, publisher) = try await onSoundCard {
            let session = try MessageSession()
            let key = try session.key(project: "ours")
            try session.serve()
            let subscriber = try session.subscribe(key: key)
            let publisher = try session.publish(["before"], key: key)
            try MessageSession.wait(subscriber, within: Self.patienceSeconds) { $0.text == "before" }
            session.killService()
            try MessageSession.wait(subscriber, within: 30) { $0.event == "problem" }
            try session.serve()
            // The back-off goes up to 30 s.
            try MessageSession.wait(subscriber, within: 60) { $0.event == "solved" }
            let another = try session.publish(["after"], key: key)
            try MessageSession.wait(subscriber, within: Self.patienceSeconds) { $0.text == "after" }
            publisher.signal(SIGINT)
            try MessageSession.wait(subscriber, within: Self.patienceSeconds) {
                $0.event == "lost" && $0.text == "before"
            }
            withExtendedLifetime(another) {}
            return (session, subscriber, publisher)
        }
        #expect(MessageSession.events("found", subscriber).map(\.text) == ["before", "after"])
        #expect(MessageSession.events("lost", subscriber).map(\.text) == ["before"], "nothing was lost by the restart")
        #expect(MessageSession.lines(publisher).contains { $0.status == "active" })
        withExtendedLifetime(session) {}
    }

    @Test(.enabled(if: SoundCard.isVirtual)) func aMessageInTheSoundItselfNeedsNoService() async throws {
        let (session, subscriber) = try await onSoundCard {
            let session = try MessageSession()
            let subscriber = try session.subscribe(["--count", "1"])
            let publisher = try session.publish(["table 12 is free"])
            _ = subscriber.waitForEnd(within: Self.patienceSeconds)
            publisher.signal(SIGINT)
            _ = publisher.waitForEnd(within: 10)
            return (session, subscriber)
        }
        let found = MessageSession.events("found", subscriber)
        #expect(found.map(\.text) == ["table 12 is free"] && found.map(\.authenticated) == [false])
        #expect(subscriber.status == 0)
        #expect(MessageSession.events("problem", subscriber).isEmpty)
        withExtendedLifetime(session) {}
    }
}
