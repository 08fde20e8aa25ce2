import Foundation
import MessagesTestSupport
import Testing

@testable import EarshotMessages

struct MessageLimitsTests {
    @Test func messagesAreEqualByContentTypeAndNamespace() {
        let one = Message(content: Data("hello".utf8), type: "greeting", namespace: "")
        #expect(one == Message(content: Data("hello".utf8), type: "greeting"))
        #expect(one != Message(content: Data("hello".utf8), type: "greeting", namespace: "other"))
    }

    @Test func messagesWithinTheLimits() throws {
        try Message(content: Data(), type: "").check()
        try Message(
            content: Data(count: 102_400), type: String(repeating: "ä", count: 32),
            namespace: String(repeating: "n", count: 64)
        ).check()
    }

    @Test func messagesBeyondTheLimits() {
        #expect(throws: MessageError.contentTooLarge(102_401)) { try Message(content: Data(count: 102_401)).check() }
        #expect(throws: MessageError.typeTooLong(33)) {
            try Message("", type: String(repeating: "t", count: 33)).check()
        }
        #expect(throws: MessageError.namespaceTooLong(65)) {
            try Message("", namespace: String(repeating: "n", count: 65)).check()
        }
        // One letter of many scalars: the service counts scalars.
        #expect(throws: MessageError.typeTooLong(34)) {
            try Message("", type: "e" + String(repeating: "\u{301}", count: 33)).check()
        }
    }

    @Test func theManagerChecks() {
        let device = Device(in: Air(), FakeService())
        #expect(throws: MessageError.contentTooLarge(102_401)) {
            try device.manager.publish(Message(content: Data(count: 102_401)))
        }
        #expect(throws: MessageError.typeTooLong(33)) {
            try device.manager.subscribe(type: String(repeating: "t", count: 33))
        }
        #expect(throws: MessageError.directCount(33)) { try device.manager.publishDirectly(Data(count: 33)) }
        #expect(throws: MessageError.directUnsendable) { try device.manager.publishDirectly(Data(count: 32)) }
    }

    @Test(arguments: [
        MessageError.contentTooLarge(1), .typeTooLong(1), .namespaceTooLong(1), .directCount(0), .directUnsendable,
        .stopped,
    ])
    func errorsSayWhatToDo(error: MessageError) {
        #expect(error.description.contains("(") || error.description.contains(";"))
    }
}
