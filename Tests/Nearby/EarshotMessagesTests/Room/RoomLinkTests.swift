import EarshotCoding
import EarshotDiscovery
import MessagesTestSupport
import Synchronization
import TestSupport
import Testing

@testable import EarshotMessages

@Suite(.apart) struct RoomLinkTests {
    private let medium = Air().medium()
    private let made = Counter()

    private func link() -> RoomLink {
        let (medium, made) = (medium, made)
        return RoomLink(
            MessageManager.Pace(),
            media: {
                made.add()
                return [medium]
            }, tell: { _, _ in })
    }

    private func wish(_ mode: DiscoveryMode) -> RoomPlan.Wish {
        RoomPlan.Wish(mode: mode, kinds: [.audio], isSubscription: true, token: nil, awaitsToken: true)
    }

    @Test func mediaAreMadeOnceAndOnlyIfTheyAreNeeded() async {
        let link = link()
        link.set([wish(.scan)])
        await link.close()
        #expect(made.count == 0)
        #expect(link.open() == [.audio] && link.open() == [.audio])
        #expect(made.count == 1 && medium.modes.isEmpty)
        await link.close()
    }

    @Test func theSameWishesChangeNothing() async {
        let link = link()
        _ = link.open()
        for _ in 0..<3 { link.set([wish(.scan)]) }
        #expect(await eventually { medium.mode == .scan })
        for _ in 0..<3 { link.set([wish(.scan), wish(.scan)]) }
        link.set([])
        #expect(await eventually { medium.mode.isEmpty })
        #expect(medium.modes == [.scan])
        await link.close()
    }
}
