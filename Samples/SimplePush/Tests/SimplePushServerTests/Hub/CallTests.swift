import SimplePushKit
import SimplePushServer
import SimplePushTestSupport
import Testing

@Suite struct CallTests {
    private func invite(_ id: String, _ user: String) -> ClientFrame { .invite(OutgoingInvitation(id: id, to: user)) }
    private func act(_ id: String, _ action: CallAction) -> ClientFrame { .call(CallRequest(id: id, action: action)) }

    /// Ann calls Ben. His provider receives the invitation, and then his app connects.
    private func ringing(
        _ world: World
    ) async throws -> (ann: TestClient, provider: TestClient, ben: TestClient) {
        let provider = try await world.client("ben", .notification)
        let ann = try await world.client("ann", .control)
        try await ann.send(invite("c", "ben"))
        #expect(try await ann.next() == .accepted(Accepted(id: "c", isHere: true)))
        #expect(try await ann.call()?.phase == .ringing)
        var invitation: Invitation?
        while invitation == nil, let frame = try await provider.next() {
            if case .invitation(let found) = frame { invitation = found }
        }
        let found = try #require(invitation)
        #expect(found.id == "c" && found.from == "ann" && !found.isMissed)
        try await provider.send(.acknowledge(Acknowledgement(through: found.sequence)))
        let ben = try await world.client("ben", .control)
        let state = try await ben.call()
        #expect(state?.phase == .ringing && state?.isOutgoing == false && state?.peer == "ann")
        return (ann, provider, ben)
    }

    @Test func aCallIsAcceptedAndHungUp() async throws {
        try await World.with { world in
            let (ann, _, ben) = try await ringing(world)
            try await ben.send(act("c", .accept))
            #expect(try await ann.call()?.phase == .accepted)
            #expect(try await ben.call()?.phase == .accepted)
            try await ann.send(act("c", .hangUp))
            #expect(try await ann.call()?.end == .hungUp)
            #expect(try await ben.call()?.end == .hungUp)
            try await ben.send(act("c", .accept))
            guard case .refusal(let refusal)? = try await ben.next() else { return #expect(Bool(false)) }
            #expect(refusal.code == .callOver && refusal.id == "c")
        }
    }

    @Test(arguments: [(CallAction.decline, CallState.End.declined), (.busy, .busy), (.hangUp, .declined)])
    func theCalleeRefuses(_ action: CallAction, _ end: CallState.End) async throws {
        try await World.with { world in
            let (ann, _, ben) = try await ringing(world)
            try await ben.send(act("c", action))
            #expect(try await ann.call()?.end == end)
        }
    }

    @Test func theCallerWithdraws() async throws {
        try await World.with { world in
            let (ann, provider, ben) = try await ringing(world)
            try await ann.send(act("c", .hangUp))
            #expect(try await ben.call()?.end == .hungUp)
            // The provider learns that its call no longer rings.
            var end: CallState.End?
            while end == nil, let frame = try await provider.next() {
                if case .call(let state) = frame { end = state.end }
            }
            #expect(end == .hungUp)
        }
    }

    @Test func nobodyElseTouchesACall() async throws {
        try await World.with { world in
            let (ann, _, ben) = try await ringing(world)
            let eve = try await world.client("eve", .control)
            for action in CallAction.allCases {
                try await eve.send(act("c", action))
                guard case .refusal? = try await eve.next() else { return #expect(Bool(false), "\(action)") }
            }
            try await eve.send(invite("c", "ben"))
            guard case .refusal? = try await eve.next() else { return #expect(Bool(false)) }
            // The caller cannot answer its own call.
            try await ann.send(act("c", .accept))
            guard case .refusal? = try await ann.next() else { return #expect(Bool(false)) }
            try await ben.send(act("c", .accept))
            #expect(try await ann.call()?.phase == .accepted)
        }
    }

    @Test func aCallIsUnansweredAfterItsTime() async throws {
        try await World.with {
            $0.ringSeconds = 0.3
        } body: { world in
            try await world.client("ben", .notification).close()
            let ann = try await world.client("ann", .control)
            try await ann.send(invite("c", "ben"))
            #expect(try await ann.next() != nil)
            #expect(try await ann.call()?.phase == .ringing)
            #expect(try await ann.call()?.end == .unanswered)
            // Ben, who was away, learns that he missed it.
            let ben = try await world.client("ben", .notification)
            guard case .invitation(let invitation)? = try await ben.next() else { return #expect(Bool(false)) }
            #expect(invitation.isMissed)
        }
    }

    @Test func anEndWithoutAnAppEndsTheCall() async throws {
        try await World.with {
            $0.absenceSeconds = 0.3
        } body: { world in
            let (ann, _, ben) = try await ringing(world)
            try await ben.send(act("c", .accept))
            #expect(try await ann.call()?.phase == .accepted)
            ben.close()
            #expect(try await ann.call()?.end == .lost)
        }
    }

    @Test func anAppThatComesBackInTimeFindsItsCall() async throws {
        try await World.with {
            $0.absenceSeconds = 3
        } body: { world in
            let (ann, _, ben) = try await ringing(world)
            try await ben.send(act("c", .accept))
            #expect(try await ann.call()?.phase == .accepted)
            ann.close()
            let again = try await world.client("ann", .control)
            #expect(try await again.call()?.phase == .accepted)
            // The app repeats its invitation, because it does not know whether the first one arrived.
            try await again.send(invite("c", "ben"))
            #expect(try await again.next() == .accepted(Accepted(id: "c", isHere: true)))
            #expect(try await again.call()?.phase == .accepted)
        }
    }

    @Test func aCallToAUserInACallIsBusy() async throws {
        try await World.with { world in
            let (ann, _, ben) = try await ringing(world)
            try await ben.send(act("c", .accept))
            #expect(try await ann.call()?.phase == .accepted)
            let eve = try await world.client("eve", .control)
            try await eve.send(invite("e", "ben"))
            #expect(try await eve.next() != nil)
            #expect(try await eve.call()?.end == .busy)
        }
    }
}
