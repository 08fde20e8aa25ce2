import EarshotMessages
import Foundation
import MessagesTestSupport
import NearbyWire
import Synchronization
import TestSupport
import Testing

@testable import EarshotAgent

/// The agent when the calendar is changed, while it runs and while it does not run.
@Suite(.apart, .serialized) struct CalendarTests {
    private let home: Home
    private let air = Air()
    private let service = FakeService(keys: ["key": "project"])
    private let moved = Moved()

    /// How far the calendar was moved, in seconds.
    private final class Moved: Sendable {
        private let seconds = Mutex(0.0)
        var now: Double { Date().timeIntervalSince1970 + seconds.withLock(\.self) }
        func move(_ change: Double) { seconds.withLock { $0 += change } }
    }

    init() throws {
        home = try Home()
        try home.install("app")
    }

    private func agent(number: Int = 1) throws -> Agent {
        try home.agent(air, service, number: number) { [moved] in $0.internals.clock.wallSeconds = { moved.now } }
    }

    private func heldCount() async throws -> Int {
        let socket = home.socket
        return try await onThread { try RawClient(socket, app: nil).overview().apps.flatMap(\.operations).count }
    }

    /// The end of an operation is a date, so that it applies after a restart of the machine.
    @Test(arguments: [-86_400.0, -3_600, 1_800, 3_601, 86_400])
    func anOperationEndsAtItsDate(move: Double) async throws {
        let first = try agent()
        var operation = Home.subscription()
        operation.endsAt = moved.now + 3_600
        let (order, socket) = (operation, home.socket)
        let refused = try await onThread { try RawClient(socket, app: "app").hold(order) }
        #expect(refused == nil)
        #expect(try await heldCount() == 1)
        await first.close()
        try home.copyState(to: 2)
        moved.move(move)
        let second = try agent(number: 2)
        #expect(try await heldCount() == (move < 3_600 ? 1 : 0))
        // The agent refuses an operation whose end has passed, and gives the reason.
        let refusal = try await onThread { try RawClient(socket, app: "app").hold(order) }
        #expect((refusal?.contains("has ended") ?? false) == (move > 3_600), "\(refusal ?? "held")")
        await second.close()
    }

    /// A running operation ends by a monotonic clock.
    @Test(arguments: [-86_400.0, 3_601, 86_400]) func aCalendarThatIsSetEndsNothingThatRuns(move: Double) async throws {
        let agent = try self.agent()
        var operation = Home.subscription()
        operation.endsAt = moved.now + 3_600
        let (order, socket, moved) = (operation, home.socket, moved)
        let neighbour = Home.neighbour(in: air, service)
        let found = try await onThread { () -> AgentEvent in
            let client = try RawClient(socket, app: "app")
            #expect(try client.hold(order) == nil)
            moved.move(move)
            let publication = try neighbour.publish(Message("still"))
            defer { publication.stop() }
            return try client.event().1
        }
        #expect(found.message?.content == Data("still".utf8))
        await agent.close()
        withExtendedLifetime(neighbour) {}
    }

    /// When the calendar is set back, the agent forgets the calls before it, and takes no later call for one of them.
    @Test func repeatedCallsAreKnownByTheirDate() {
        var state = PushAppState(app: "app")
        // The first call, a repetition within the time, one an hour later, one a day back, and one after another day
        // forward.
        let areRepeated = [1_000_000.0, 1_000_100, 1_003_600, 917_200, 1_003_600].enumerated().map { run, now in
            state.isRepeated("call", run: "\(run)", now: now, within: 120)
        }
        #expect(areRepeated == [false, true, false, false, false])
    }
}
