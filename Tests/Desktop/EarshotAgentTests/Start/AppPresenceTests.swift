import Synchronization
import TestSupport
import Testing

@testable import EarshotAgent

/// The record of running apps, which two actors that start apps share.
@Suite struct AppPresenceTests {
    /// A call and a found message come at the same moment.
    @Test func oneOfTwoStartsAnApp() async throws {
        for _ in 0..<200 {
            let presence = AppPresence()
            async let first = onThread { presence.begin("app") }
            async let second = onThread { presence.begin("app") }
            let begun = try await [first, second]
            #expect(begun.count(where: \.self) == 1)
            #expect(presence.isThere("app"))
        }
    }

    @Test func aProcessThatIsThereIsNotStartedAgain() {
        let presence = AppPresence()
        presence.add("app")
        #expect(!presence.begin("app"))
        #expect(presence.begin("other"))
        presence.remove("app")
        #expect(presence.begin("app"))
    }

    @Test func theLastProcessThatLeavesIsTold() {
        let presence = AppPresence()
        let left = Mutex<[String]>([])
        presence.whenLeft { app in left.withLock { $0.append(app) } }
        #expect(presence.begin("app"))
        presence.add("app")
        presence.remove("app")
        #expect(left.withLock(\.self).isEmpty)
        presence.remove("app")
        presence.remove("app")
        #expect(left.withLock(\.self) == ["app"])
    }
}
