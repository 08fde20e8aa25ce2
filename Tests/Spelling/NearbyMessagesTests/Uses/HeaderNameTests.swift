import Foundation
import GNSMessages
import Testing

/// Apps import the CocoaPod's name, `NearbyMessages`, or the header's, as this file does.
@Suite struct HeaderNameTests {
    @Test func `the header's name is a module with the same declarations`() {
        let message: GNSMessage = GNSMessage(content: Data("Ann".utf8))
        #expect(message.content == Data("Ann".utf8))
    }
}
