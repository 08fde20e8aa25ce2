import EarshotCoding
import EarshotDiscovery
import Testing

@testable import EarshotMessages

struct RoomPlanTests {
    private func token(_ byte: UInt8) throws -> Payload { try Payload([UInt8](repeating: byte, count: 8)) }

    private func wish(
        _ mode: DiscoveryMode, _ token: Payload? = nil, isSubscription: Bool = false, awaitsToken: Bool = false,
        kinds: Set<DiscoveryMediumKind> = [.audio]
    ) -> RoomPlan.Wish {
        RoomPlan.Wish(
            mode: mode, kinds: kinds, isSubscription: isSubscription, token: token, awaitsToken: awaitsToken)
    }

    private func part(_ wishes: [RoomPlan.Wish]) -> RoomPlan.Part { RoomPlan(wishes, on: [.audio])[.audio] }

    @Test func withoutWishesThereIsNothingToDo() {
        #expect(part([]) == RoomPlan.Part())
    }

    @Test func modesAreCombined() throws {
        let part = part([wish(.scan, isSubscription: true), wish(.broadcast, try token(1))])
        #expect(part == RoomPlan.Part(mode: .both, tokens: [try token(1)]))
    }

    @Test func scanningOpensNoLoudspeaker() throws {
        #expect(part([wish(.scan, try token(1)), wish(.scan, try token(2), isSubscription: true)]).mode == .scan)
    }

    @Test func withoutATokenNoLoudspeakerOpens() {
        #expect(part([wish(.both)]).mode == .scan)
        #expect(part([wish(.both, awaitsToken: true)]).mode == .both)
    }

    @Test func subscriptionsPlayTheirTokenOnlyWithoutPublications() throws {
        let (first, second, third) = (try token(1), try token(2), try token(3))
        let subscription = wish(.both, first, isSubscription: true)
        #expect(part([subscription]).tokens == [first])
        #expect(part([subscription, wish(.both, second), wish(.both, third)]).tokens == [second, third])
        // A subscription that only broadcasts has no other way to be found.
        let talker = wish(.broadcast, first, isSubscription: true)
        #expect(part([talker, wish(.both, second)]).tokens == [second, first])
        // A publication without a token to play does not silence the subscription.
        #expect(part([subscription, wish(.scan, second)]).tokens == [first])
    }

    @Test func eachMediumHasItsOwnPlan() throws {
        let radio = DiscoveryMediumKind(name: "radio", worksInBackground: true)
        let plan = RoomPlan(
            [wish(.scan, kinds: [.audio, radio]), wish(.broadcast, try token(1), kinds: [radio])], on: [.audio, radio])
        #expect(plan[.audio].mode == .scan)
        #expect(plan[radio] == RoomPlan.Part(mode: .both, tokens: [try token(1)]))
    }
}

struct TokenTurnsTests {
    private func tokens(_ bytes: [UInt8]) throws -> [Payload] {
        try bytes.map { try Payload([UInt8](repeating: $0, count: 8)) }
    }

    @Test func oneAfterAnother() throws {
        var turns = TokenTurns()
        #expect(turns.current == nil)
        turns.advance()
        turns.update(try tokens([1, 2, 3]))
        var said: [Payload?] = []
        for _ in 0..<5 {
            said.append(turns.current)
            turns.advance()
        }
        #expect(said == (try tokens([1, 2, 3, 1, 2])))
    }

    @Test func aTurnGoesOnWhereItWas() throws {
        var turns = TokenTurns()
        turns.update(try tokens([1, 2, 3]))
        turns.advance()
        turns.update(try tokens([4, 1, 2, 3]))
        #expect(turns.current == (try tokens([2]).first))
        // After a rotation another token has the same place.
        turns.update(try tokens([4, 1, 5, 3]))
        #expect(turns.current == (try tokens([5]).first))
        turns.update(try tokens([4]))
        #expect(turns.current == (try tokens([4]).first))
        turns.update([])
        #expect(turns.current == nil)
    }
}
