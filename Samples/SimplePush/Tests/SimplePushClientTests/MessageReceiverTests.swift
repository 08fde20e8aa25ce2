import Foundation
import NIOPosix
import SimplePushClient
import SimplePushKit
import SimplePushServer
import SimplePushTestSupport
import Synchronization
import Testing

@Suite struct MessageReceiverTests {
    /// The announcements of a provider.
    private final class Announcements: Sendable {
        private let content = Mutex<[Announcement]>([])
        private let failures: Mutex<Int>

        init(failures: Int = 0) { self.failures = Mutex(failures) }

        func add(_ announcement: Announcement) -> Bool {
            content.withLock { $0.append(announcement) }
            return failures.withLock { count in
                defer { count -= 1 }
                return count <= 0
            }
        }

        var all: [Announcement] { content.withLock(\.self) }

        var texts: [String] {
            all.compactMap { if case .text(let text) = $0 { text.id } else { nil } }
        }

        /// Waits for a number of announcements, and then for a moment, in which surplus ones would appear.
        func wait(for count: Int) async throws {
            let end = ContinuousClock.now + .seconds(20)
            while all.count < count, ContinuousClock.now < end { try await Task.sleep(for: .milliseconds(5)) }
            try await Task.sleep(for: .milliseconds(200))
        }
    }

    private func receive(
        _ world: World, _ announcements: Announcements, path: String? = nil
    ) throws -> Task<Void, Never> {
        let receiver = MessageReceiver(
            shown: try ShownMessages(path: path ?? world.folder + "/shown"), retrySeconds: 0.05,
            announce: { announcements.add($0) }, log: { _ in })
        let address = world.server.address
        let security = world.security
        return Task {
            await receiver.run {
                try await PushLink.open(
                    to: address,
                    as: Registration(channel: .notification, user: "ben", name: "Ben", key: "key-of-ben-0123456789"),
                    security: security, on: MultiThreadedEventLoopGroup.singleton)
            }
        }
    }

    private func send(_ ids: [String], _ ann: TestClient) async throws {
        for id in ids {
            try await ann.send(.text(OutgoingText(id: id, to: "ben", text: "x")))
            _ = try await ann.next()
        }
    }

    @Test func textsAreAnnouncedInOrderAndAcknowledged() async throws {
        try await World.with { world in
            let announcements = Announcements()
            let receiving = try receive(world, announcements)
            defer { receiving.cancel() }
            try await world.client("ben", .control).close()
            let ann = try await world.client("ann", .control)
            try await send(["1", "2", "3"], ann)
            try await announcements.wait(for: 3)
            #expect(announcements.texts == ["1", "2", "3"])
            receiving.cancel()
            await receiving.value
            let later = try await world.client("ben", .notification)
            #expect(try await later.next(seconds: 0.3) == nil, "All were acknowledged.")
        }
    }

    /// The previous process was killed after it had shown the text and before it acknowledged it.
    @Test func aTextThatWasShownIsOnlyAcknowledged() async throws {
        try await World.with { world in
            try await world.client("ben", .notification).close()
            let ann = try await world.client("ann", .control)
            try await send(["1", "2"], ann)
            let shown = try ShownMessages(path: world.folder + "/shown")
            try shown.record(sender: "ann", id: "1")
            let announcements = Announcements()
            let receiving = try receive(world, announcements)
            try await announcements.wait(for: 1)
            #expect(announcements.texts == ["2"])
            receiving.cancel()
            await receiving.value
            let later = try await world.client("ben", .notification)
            #expect(try await later.next(seconds: 0.3) == nil, "The first was acknowledged, too.")
        }
    }

    @Test func aTextIsAnnouncedUntilTheAgentTakesIt() async throws {
        try await World.with { world in
            try await world.client("ben", .notification).close()
            let ann = try await world.client("ann", .control)
            try await send(["1", "2"], ann)
            let announcements = Announcements(failures: 2)
            let receiving = try receive(world, announcements)
            defer { receiving.cancel() }
            try await announcements.wait(for: 4)
            #expect(announcements.texts == ["1", "1", "1", "2"])
        }
    }

    @Test func aCallIsAnnouncedOnceAndAMissedOneAsMissed() async throws {
        try await World.with {
            $0.ringSeconds = 1
        } body: { world in
            try await world.client("ben", .notification).close()
            let ann = try await world.client("ann", .control)
            try await send(["same"], ann)
            try await ann.send(.invite(OutgoingInvitation(id: "same", to: "ben")))
            let announcements = Announcements()
            let first = try receive(world, announcements)
            try await announcements.wait(for: 3)
            guard announcements.all.count == 3, case .text = announcements.all[0],
                case .call(let invitation) = announcements.all[1], case .endedCall(let end) = announcements.all[2]
            else { return #expect(Bool(false), "\(announcements.all)") }
            #expect(invitation.id == "same" && end.end == .unanswered)
            first.cancel()
            await first.value
            try await ann.send(.invite(OutgoingInvitation(id: "later", to: "ben")))
            while let state = try await ann.next() {
                if case .call(let call) = state, call.id == "later", call.phase == .ended { break }
            }
            let missed = Announcements()
            let second = try receive(world, missed)
            defer { second.cancel() }
            try await missed.wait(for: 1)
            guard missed.all.count == 1, case .missedCall(let call) = missed.all[0] else {
                return #expect(Bool(false), "\(missed.all)")
            }
            #expect(call.id == "later")
        }
    }

    @Test func aWrongSecretIsToldAsTheFirstOutcome() async throws {
        try await World.with(isSecure: true) { world in
            let receiver = MessageReceiver(
                shown: try ShownMessages(path: world.folder + "/shown"), announce: { _ in true }, log: { _ in })
            let (outcomes, tell) = AsyncStream<LinkFailure?>.makeStream()
            let address = world.server.address
            let receiving = Task {
                await receiver.run {
                    try await PushLink.open(
                        to: address,
                        as: Registration(channel: .notification, user: "ben", name: "B", key: "key-of-ben-0123456789"),
                        security: .sharedSecret(try SharedSecret("another secret 0123456789")),
                        on: MultiThreadedEventLoopGroup.singleton)
                } firstOutcome: {
                    tell.yield($0)
                }
            }
            defer { receiving.cancel() }
            var iterator = outcomes.makeAsyncIterator()
            #expect(await iterator.next() == .some(.wrongSecret(address)))
        }
    }
}
