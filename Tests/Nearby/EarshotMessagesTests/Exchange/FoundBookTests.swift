import Foundation
import MessagesTestSupport
import Testing

@testable import EarshotMessages

struct FoundBookTests {
    private func received(_ text: String, id: String) -> ReceivedMessage {
        ReceivedMessage(message: Message(text), isAuthenticated: true, id: id)
    }

    @Test func foundOnceLostOnce() {
        var book = FoundBook()
        let message = received("hello", id: "1")
        #expect(book.find(message) == .found(message))
        #expect(book.find(message) == nil)
        #expect(book.lose("1", now: .zero) == .lost(message))
        #expect(book.lose("1", now: .zero) == nil)
        #expect(book.lose("2", now: .zero) == nil)
    }

    @Test func aMessageThatComesAgainIsNotLost() {
        var book = FoundBook()
        let (one, other) = (received("1", id: "1"), received("2", id: "2"))
        _ = (book.find(one), book.find(other))
        book.doubt(until: .seconds(10))
        #expect(book.find(one) == nil)
        #expect(book.expire(now: .milliseconds(9_999)).isEmpty)
        #expect(book.expire(now: .seconds(10)) == [.lost(other)])
        #expect(book.doubtEndsAt == nil)
    }

    @Test func aServiceThatForgotGivesAnotherID() {
        var book = FoundBook()
        let message = received("hello", id: "1")
        _ = book.find(message)
        book.doubt(until: .seconds(10))
        #expect(book.find(received("hello", id: "2")) == nil)
        #expect(book.expire(now: .seconds(10)).isEmpty)
        #expect(book.find(received("hello", id: "3")) != nil, "another one publishes the same")
        // The lost event has the id of the found one.
        #expect(book.lose("2", now: .seconds(11)) == .lost(message))
    }

    @Test func afterALongSilenceNothingIsLostAtOnce() {
        var book = FoundBook()
        let (one, other) = (received("1", id: "1"), received("2", id: "2"))
        _ = (book.find(one), book.find(other))
        book.settle(until: .seconds(20))
        #expect(book.lose("1", now: .seconds(15)) == nil && book.lose("2", now: .seconds(15)) == nil)
        #expect(book.find(one) == nil)
        #expect(book.expire(now: .seconds(20)) == [.lost(other)])
        #expect(book.lose("1", now: .seconds(20)) == .lost(one))
    }

    @Test func directMessagesAreNeverInDoubt() {
        var book = FoundBook()
        let direct = ReceivedMessage(message: Message("hello"), isAuthenticated: false, id: "sound-00")
        _ = book.find(direct)
        book.doubt(until: .zero)
        book.settle(until: .seconds(20))
        #expect(book.expire(now: .seconds(1)).isEmpty)
        #expect(book.lose("sound-00", now: .seconds(1)) == .lost(direct))
    }

    @Test func theMemoryIsLimited() {
        var book = FoundBook()
        let large = Message(content: Data(count: Message.maximumContentCount))
        let count = (0..<2_000).count { number in
            book.find(ReceivedMessage(message: large, isAuthenticated: true, id: "\(number)")) != nil
        }
        #expect(count == FoundBook.maximumByteCount / Message.maximumContentCount)
        #expect(book.loseAll().count == count)
        let small = (0..<2_000).count { number in book.find(received("\(number)", id: "\(number)")) != nil }
        #expect(small == FoundBook.maximumCount)
    }
}
