import NIOPosix
import SimplePushClient
import SimplePushKit
import SimplePushServer
import SimplePushTestSupport
import Synchronization
import Testing

@Suite struct CallSessionTests {
    private final class Events: Sendable {
        private let content = Mutex<[CallSession.Event]>([])
        func add(_ event: CallSession.Event) { content.withLock { $0.append(event) } }
        var phases: [CallState.Phase] {
            content.withLock { $0.compactMap { if case .state(let state) = $0 { state.phase } else { nil } } }
        }
        func wait(for phase: CallState.Phase) async throws {
            let end = ContinuousClock.now + .seconds(20)
            while !phases.contains(phase), ContinuousClock.now < end { try await Task.sleep(for: .milliseconds(5)) }
            try #require(phases.contains(phase))
        }
    }

    private func opener(_ world: World, _ user: String) -> @Sendable () async throws -> PushLink {
        let address = world.server.address
        let security = world.security
        return {
            try await PushLink.open(
                to: address,
                as: Registration(channel: .control, user: user, name: user, key: "key-of-\(user)-0123456789"),
                security: security, on: MultiThreadedEventLoopGroup.singleton)
        }
    }

    @Test func twoSessionsTalkAndHangUp() async throws {
        try await World.with { world in
            let provider = try await world.client("ben", .notification)
            let (annEvents, benEvents) = (Events(), Events())
            let ann = CallSession(.invite(OutgoingInvitation(id: "c", to: "ben"))) { annEvents.add($0) }
            let annOpen = opener(world, "ann")
            let calling = Task { try await ann.run(open: annOpen) }
            try await annEvents.wait(for: .ringing)
            let ben = CallSession(.accept(nil)) { benEvents.add($0) }
            let benOpen = opener(world, "ben")
            let answering = Task { try await ben.run(open: benOpen) }
            try await annEvents.wait(for: .accepted)
            try await benEvents.wait(for: .accepted)
            await ann.hangUp()
            #expect(try await calling.value.end == .hungUp)
            #expect(try await answering.value.end == .hungUp)
            #expect(annEvents.phases == [.ringing, .accepted, .ended])
            provider.close()
        }
    }

    @Test func aCallToNobodyIsRefused() async throws {
        try await World.with { world in
            let session = CallSession(.invite(OutgoingInvitation(id: "c", to: "nobody"))) { _ in }
            do {
                _ = try await session.run(open: opener(world, "ann"))
                Issue.record("There is nobody to call.")
            } catch let refusal as Refusal {
                #expect(refusal.code == .unknownUser)
            }
        }
    }

    @Test func thereIsNothingToAcceptOrEnd() async throws {
        try await World.with { world in
            let session = CallSession(.accept(nil)) { _ in }
            await #expect(throws: CallChoiceError.none) { try await session.run(open: opener(world, "ann")) }
            let control = ControlSession(open: opener(world, "ann"))
            await #expect(throws: CallChoiceError.none) { try await control.end(nil, .hangUp) }
            await #expect(throws: CallChoiceError.unknown("x")) { try await control.end("x", .decline) }
        }
    }

    @Test func oneOfSeveralCallsMustBeNamed() throws {
        func call(_ id: String) -> CallState {
            CallState(id: id, peer: "ann", peerName: "Ann", isOutgoing: false, phase: .ringing)
        }
        #expect(throws: CallChoiceError.several(["1 (Ann)", "2 (Ann)"])) {
            try ControlSession.choose(nil, [call("1"), call("2")]) { _ in true }
        }
        #expect(try ControlSession.choose("2", [call("1"), call("2")]) { _ in true }.id == "2")
    }
}
