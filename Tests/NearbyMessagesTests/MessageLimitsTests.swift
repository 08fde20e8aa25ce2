import Foundation
import NearbyMessages
import Testing

struct MessageLimitsTests {
    @Test func aMessageIsEqualToOneOfTheSameThree() {
        let one = Message(content: Data("hello".utf8), type: "greeting", namespace: "")
        #expect(one == Message(content: Data("hello".utf8), type: "greeting"))
        #expect(one != Message(content: Data("hello".utf8), type: "greeting", namespace: "other"))
    }
}
