import EarshotCoding
import Foundation
import MessagesTestSupport
import Testing

@testable import EarshotMessages

struct DirectMessageTests {
    /// Contents of n bytes: random ones, and ones that look like others: a token's eight bytes and then zeros, zeros
    /// except for the last or the first byte, only zeros.
    private func contents(of count: Int) -> [Data] {
        var generator = SystemRandomNumberGenerator()
        var contents = (0..<20).map { _ in
            Data((0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) })
        }
        for tail in 0...count {
            contents.append(Data((0..<count).map { $0 < count - tail ? UInt8($0 + 1) : 0 }))
        }
        return contents
    }

    @Test(arguments: 1...32)
    func aMessageIsHeardAsItWasSent(count: Int) throws {
        for content in contents(of: count) {
            if count == 32, content.dropFirst(8).allSatisfy({ $0 == 0 }) {
                #expect(throws: MessageError.directUnsendable) { try DirectMessage.payload(content) }
                continue
            }
            let payload = try DirectMessage.payload(content)
            #expect(payload.count != Payload.tokenCount, "a message must not look like a token")
            #expect(DirectMessage.content(payload) == content)
        }
    }

    @Test(arguments: 1...32)
    func aPayloadIsATokenOrOneMessage(count: Int) throws {
        for bytes in contents(of: count) {
            let payload = try Payload(bytes)
            guard let content = DirectMessage.content(payload) else {
                #expect(count == 8)
                continue
            }
            // A sender encodes the message to the same payload: no payload has two meanings.
            #expect(try DirectMessage.payload(content) == payload)
            #expect(count != 8)
        }
    }

    @Test(arguments: [0, 33, 1_000])
    func otherLengthsAreRefused(count: Int) {
        #expect(throws: MessageError.directCount(count)) { try DirectMessage.payload(Data(count: count)) }
    }

    @Test func theRuleOfTheDocument() throws {
        #expect(try DirectMessage.payload(Data("12345678".utf8)).hex == "313233343536373800")
        #expect(try DirectMessage.payload(Data("12345678\0".utf8)).hex == "31323334353637380000")
        #expect(try DirectMessage.payload(Data("123456789\0".utf8)).hex == "31323334353637383900")
        #expect(try DirectMessage.payload(Data("hello".utf8)).hex == "68656c6c6f")
    }

    @Test func aHeardMessageIsNotAuthenticated() throws {
        let received = try #require(DirectMessage.received(try Payload(Array("hello".utf8))))
        #expect(!received.isAuthenticated)
        #expect(received.message == Message("hello"))
    }
}
