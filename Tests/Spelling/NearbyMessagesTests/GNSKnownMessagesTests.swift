import EarshotMessages
import Foundation
import MessagesTestSupport
import Testing

@testable import NearbyMessages

/// Found and lost are paired by message, for any number of publishers.
@Suite struct GNSKnownMessagesTests {
    private func received(_ text: String, _ id: String, isAuthenticated: Bool = true) -> ReceivedMessage {
        ReceivedMessage(message: Message(text), isAuthenticated: isAuthenticated, id: id)
    }

    @Test func `the same message of two publishers is found once, and lost with the last of them`() {
        var known = GNSKnownMessages()
        guard case .found(let message)? = known.take(.found(received("a", "1"))) else {
            Issue.record("not found")
            return
        }
        #expect(known.take(.found(received("a", "2"))) == nil)
        #expect(known.take(.found(received("a", "2"))) == nil)
        #expect(known.take(.lost(received("a", "1"))) == nil)
        #expect(known.take(.lost(received("a", "1"))) == nil)
        #expect(known.take(.lost(received("a", "2"))) == .lost(message))
        #expect(known.take(.lost(received("a", "2"))) == nil)
        #expect(known.take(.found(received("a", "2"))) == .found(message))
    }

    @Test func `a message in the sound itself neither hides nor loses an authenticated one`() {
        var known = GNSKnownMessages()
        #expect(known.take(.found(received("a", "sound", isAuthenticated: false))) != nil)
        guard case .found(let message)? = known.take(.found(received("a", "1"))) else {
            Issue.record("hidden")
            return
        }
        #expect(message.isAuthenticated)
        guard case .lost(let lost)? = known.take(.lost(received("a", "sound", isAuthenticated: false))) else {
            Issue.record("not lost")
            return
        }
        #expect(!lost.isAuthenticated)
        #expect(known.take(.found(received("a", "2"))) == nil)
    }
}
