import EarshotCoding
import MessagesTestSupport
import Testing

@testable import EarshotMessages

struct BeaconMessagesTests {
    private func attachment(_ id: String, _ text: String) -> BeaconAttachment {
        BeaconAttachment(id: id, message: Message(text))
    }

    @Test func aMessageAtSeveralBeaconsIsOne() throws {
        var messages = BeaconMessages()
        let found = messages.update([attachment("2", "hello"), attachment("1", "hello")])
        let received = ReceivedMessage(message: Message("hello"), isAuthenticated: true, id: "1")
        #expect(found == [.found(received)])
        // One of the two beacons leaves: here the one that gave the identifier.
        let none = messages.update([attachment("2", "hello")])
        #expect(none.isEmpty)
        let lost = messages.update([])
        #expect(lost == [.lost(received)])
    }

    @Test func severalMessagesAtOneBeacon() {
        var messages = BeaconMessages()
        let found = messages.update([attachment("1", "a"), attachment("2", "b")])
        #expect(found.count == 2)
        let change = messages.update([attachment("2", "b"), attachment("3", "c")])
        #expect(change.count == 2)
        guard case .lost(let lost)? = change.first, case .found(let new)? = change.last else {
            Issue.record("\(change)")
            return
        }
        #expect(lost.message.text == "a" && new.message.text == "c")
    }

    @Test func manyMessagesDoNotFillTheMemory() {
        var messages = BeaconMessages()
        let crowd = (0..<2 * BeaconMessages.maximumCount).map { attachment("\($0)", "\($0)") }
        #expect(messages.update(crowd).count == BeaconMessages.maximumCount)
        let again = messages.update(crowd)
        #expect(again.isEmpty)
        #expect(messages.update([]).count == BeaconMessages.maximumCount)
    }
}
