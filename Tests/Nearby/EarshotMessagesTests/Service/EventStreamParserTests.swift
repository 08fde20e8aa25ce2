import Foundation
import MessagesTestSupport
import NearbyWire
import Testing

@testable import EarshotMessages

struct EventStreamParserTests {
    private typealias Item = EventStreamParser.Item

    private static let text =
        "\u{FEFF}: hello\nevent: ready\ndata: {\"resumed\":false}\n\nid: 17\r\nevent: found\r\ndata: one\r\ndata:two\r\ndata\r\n\r\n"
        + ": quiet\n\n\nevent: nothing\n\nretry: 100\rnonsense\rdata:  3\r\rid: a\0b\ndata: ä:ö\n\nid\ndata: x\n\nevent: cut off\ndata: y\n"

    private static let items: [Item] = [
        .comment,
        .event(name: "ready", data: "{\"resumed\":false}", id: nil),
        .event(name: "found", data: "one\ntwo\n", id: "17"),
        .comment,
        .event(name: "", data: " 3", id: "17"),
        .event(name: "", data: "ä:ö", id: "17"),
        .event(name: "", data: "x", id: ""),
    ]

    @Test func atOnce() throws {
        var parser = EventStreamParser()
        #expect(try parser.take(Array(Self.text.utf8)) == Self.items)
    }

    @Test func inTwoPiecesAtEveryPlace() throws {
        let bytes = Array(Self.text.utf8)
        for place in 0...bytes.count {
            var parser = EventStreamParser()
            let items = try parser.take(bytes[..<place]) + parser.take(bytes[place...])
            #expect(items == Self.items, "cut before byte \(place)")
        }
    }

    @Test(arguments: 1...9)
    func inPiecesOfOneSize(size: Int) throws {
        let bytes = Array(Self.text.utf8)
        var parser = EventStreamParser()
        var items: [Item] = []
        for begin in stride(from: 0, to: bytes.count, by: size) {
            items += try parser.take(bytes[begin..<min(begin + size, bytes.count)])
        }
        #expect(items == Self.items)
    }

    @Test func aLineWithoutEndIsCutOff() throws {
        var parser = EventStreamParser()
        let piece = [UInt8](repeating: UInt8(ascii: "a"), count: 65_536)
        for _ in 0..<4 { #expect(try parser.take(piece).isEmpty) }
        #expect(throws: EventStreamParser.TooLarge.self) { try parser.take([UInt8(ascii: "a")]) }
    }

    @Test func anEventWithoutEndIsCutOff() {
        var parser = EventStreamParser()
        let line = Array("data: ".utf8) + [UInt8](repeating: UInt8(ascii: "a"), count: 10_000) + [UInt8(ascii: "\n")]
        #expect(throws: EventStreamParser.TooLarge.self) {
            for _ in 0..<1_000 { _ = try parser.take(line) }
        }
    }

    @Test func randomBytesDoNotCrash() throws {
        var generator = SystemRandomNumberGenerator()
        let alphabet = Array("data: event:id\r\n\u{FEFF}\0{}:".utf8) + [0xFF, 0xC3]
        for _ in 0..<200 {
            var parser = EventStreamParser()
            for _ in 0..<20 {
                let piece = (0..<Int.random(in: 0...40, using: &generator)).map { _ in
                    alphabet.randomElement(using: &generator) ?? 0
                }
                for item in try parser.take(piece) { _ = try? EventReader.event(item) }
            }
        }
    }
}

struct EventReaderTests {
    private func event(_ name: String, _ data: String, id: String? = nil) throws -> ServiceEvent? {
        try EventReader.event(.event(name: name, data: data, id: id))?.0
    }

    @Test func eventsOfTheService() throws {
        #expect(try event("ready", "{\"resumed\":true}") == .ready(isResumed: true))
        let change = """
            {"message":{"content":"aGVsbG8=","id":"m1","namespace":"","type":"greeting"},"subscription":"s1"}
            """
        #expect(
            try event("found", change, id: "7")
                == .found(subscription: "s1", message: Message("hello", type: "greeting"), id: "m1", eventID: "7"))
        let sealed = change.replacing(
            "\"namespace\"", with: "\"keys\":[{\"token\":\"t\",\"key\":\"aGVsbG8=\"}],\"namespace\"")
        #expect(
            try EventReader.event(.event(name: "found", data: sealed, id: nil))?.1
                == [KeyBody(token: "t", key: Data("hello".utf8))])
        #expect(try event("lost", change, id: "8") == .lost(subscription: "s1", id: "m1", eventID: "8"))
        #expect(try event("end", "{\"problem\":{\"code\":\"bad_session\"}}") == .end(code: "bad_session"))
        #expect(try event("end", "moo") == .end(code: ""))
        #expect(try event("new in version 2", "moo") == nil)
        #expect(try EventReader.event(.comment)?.0 == .quiet)
    }

    @Test(arguments: [
        "", "{}", "[]", "{\"resumed\":1}", "moo", "{\"message\":{\"content\":\"?\"},\"subscription\":\"s\"}",
    ])
    func invalidEventsAreReported(data: String) {
        for name in ["ready", "found", "lost"] {
            #expect(throws: ServiceFailure.self) { try event(name, data) }
        }
    }

    @Test(arguments: ["1\r\nX-Other: 1", "1 2", "", "ä", String(repeating: "1", count: 65)])
    func anInvalidEventIDIsNotSentBack(id: String) throws {
        let change =
            "{\"message\":{\"content\":\"\",\"id\":\"m\",\"namespace\":\"\",\"type\":\"\"},\"subscription\":\"s\"}"
        #expect(try event("lost", change, id: id) == .lost(subscription: "s", id: "m", eventID: nil))
    }
}
