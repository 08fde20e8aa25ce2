import MessagesTestSupport
import NearbyWire
import Testing

@testable import EarshotMessages

struct AttachmentBookTests {
    private let all = AttachmentFilter()

    private func book() -> AttachmentBook { AttachmentBook(memory: .seconds(600), delay: .milliseconds(200)) }

    private func needs(_ numbers: some Sequence<Int>) -> AttachmentBook.Needs {
        [all: Set(numbers.map { .numbered($0) })]
    }

    private func attachment(_ text: String, type: String = "", namespace: String = "") -> BeaconAttachment {
        BeaconAttachment(id: "id-\(text)", message: Message(text, type: type, namespace: namespace))
    }

    @Test func newBeaconsWaitForOthers() {
        var book = book()
        #expect(book.next([:], now: .zero) == nil && book.dueAt([:], now: .zero) == nil)
        #expect(book.next(needs([1]), now: .seconds(1)) == nil && book.isWaiting)
        #expect(book.dueAt(needs([1, 2]), now: .milliseconds(1_100)) == .milliseconds(1_200))
        let question = book.next(needs([1, 2]), now: .milliseconds(1_200))
        #expect(question.map { Set($0.beacons) } == [.numbered(1), .numbered(2)])
        #expect(book.next(needs([1, 2, 3]), now: .seconds(2)) == nil, "one at a time")
    }

    @Test func unknownBeaconsAreAskedOnceInTenMinutes() {
        var book = book()
        _ = book.dueAt(needs([1]), now: .zero)
        #expect(book.next(needs([1]), now: .seconds(1)) != nil)
        book.answered([:], now: .seconds(2))
        #expect(book.dueAt(needs([1]), now: .seconds(2)) == .seconds(602) && !book.isWaiting)
        #expect(book.next(needs([1]), now: .seconds(601)) == nil)
        // Even if it left and came back.
        #expect(book.dueAt([:], now: .seconds(300)) == nil)
        #expect(book.next(needs([1]), now: .seconds(500)) == nil)
        #expect(book.next(needs([1]), now: .seconds(602)) != nil)
    }

    @Test func anAnswerHoldsUntilTheNextOne() {
        var book = book()
        _ = book.dueAt(needs([1]), now: .zero)
        _ = book.next(needs([1]), now: .seconds(1))
        book.answered([.numbered(1): [attachment("hello")]], now: .seconds(1))
        #expect(book.attachments(of: .numbered(1), all) == [attachment("hello")])
        #expect(book.attachments(of: .numbered(1), AttachmentFilter(type: "t")).isEmpty)
        _ = book.next(needs([1]), now: .seconds(601))
        book.failed()
        #expect(book.attachments(of: .numbered(1), all) == [attachment("hello")])
        #expect(book.next(needs([1]), now: .seconds(602)) != nil)
        book.answered([:], now: .seconds(602))
        #expect(book.attachments(of: .numbered(1), all).isEmpty)
    }

    @Test func theServiceIsNotTrusted() {
        var book = book()
        let filter = AttachmentFilter(namespace: "n", type: "t")
        let needs: AttachmentBook.Needs = [filter: [.numbered(1)]]
        _ = book.dueAt(needs, now: .zero)
        _ = book.next(needs, now: .seconds(1))
        let good = attachment("good", type: "t", namespace: "n")
        let large = attachment(String(repeating: "x", count: 1_025), type: "t", namespace: "n")
        book.answered(
            [
                .numbered(1): [good, large, attachment("other", type: "t"), attachment("other", namespace: "n")],
                .numbered(2): [good],
            ], now: .seconds(1))
        #expect(book.attachments(of: .numbered(1), filter) == [good])
        #expect(book.attachments(of: .numbered(2), filter).isEmpty && book.count == 1)
    }

    @Test func manyBeaconsAreAskedInParts() {
        var book = book()
        let needs = needs(0..<130)
        _ = book.dueAt(needs, now: .zero)
        var asked: [BeaconIdentifier] = []
        while let question = book.next(needs, now: .seconds(1)) {
            #expect(question.beacons.count <= AttachmentBook.beaconsPerQuestion)
            asked += question.beacons
            book.answered([:], now: .seconds(1))
        }
        #expect(asked.count == 130 && Set(asked).count == 130)
    }

    @Test func aCrowdOfBeaconsDoesNotFillTheMemory() {
        var book = book()
        for begin in stride(from: 0, to: 20_000, by: 50) {
            let needs = needs(begin..<begin + 50)
            _ = book.dueAt(needs, now: .zero)
            #expect(book.next(needs, now: .seconds(1)) != nil)
            // The very first beacon has a message, so other beacons do not displace it.
            book.answered(begin == 0 ? [.numbered(0): [attachment("hello")]] : [:], now: .seconds(1))
        }
        #expect(book.count <= AttachmentBook.maximumCount)
        #expect(book.attachments(of: .numbered(0), all).count == 1)
    }
}
