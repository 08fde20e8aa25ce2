import Foundation
import NIOCore
import NearbyWire
import Testing

@testable import EarshotServer

/// The bodies of reports, which the service reads and writes without the encoder.
@Suite struct SightingBodyTests {
    private static let texts = [
        "0123456789abcdef", "0123456789ABCDEF", "", "f", "0123456789abcdeg", "0x3456789abcdef0", "01234567-89abcde",
        "a\"b", "a\\b", "a/b", "\u{0}\n\u{1F}", "é", "😀", "\u{2028}", String(repeating: "9", count: 200),
    ]

    /// The answer has the same bytes as the encoder's, for any text that a client sends as a token.
    @Test func theAnswerIsTheEncoders() throws {
        typealias Entry = SightingsAnswerBody.Entry
        let entries = Self.texts.enumerated().map { index, text in
            Entry(token: text, status: TokenStatus.allCases[index % TokenStatus.allCases.count])
        }
        let reports: [(heard: [Entry], lost: [Entry])] = [
            (entries, entries.reversed()), ([], entries), (entries, []), ([], []),
        ]
        for (heard, lost) in reports {
            let body = SightingsAnswerBody(heard: heard, lost: lost)
            let written = String(buffer: try body.json())
            #expect(written == String(decoding: try jsonData(body), as: UTF8.self))
        }
    }

    /// A token is 16 hexadecimal digits, of either case.
    @Test func tokensFromText() {
        let token = Data([0x01, 0x23, 0x45, 0x67, 0x89, 0xAB, 0xCD, 0xEF])
        #expect(Self.texts.map { Data(token: $0) } == [token, token] + Self.texts.dropFirst(2).map { _ in Data() })
    }

    @Test func bytesAsText() {
        #expect(Data([0x00, 0x0F, 0xA0, 0xFF]).hex == "000fa0ff")
        #expect(Data().hex.isEmpty)
    }
}
