import EarshotBasics
import EarshotCoding
import Foundation
import NearbyWire
import Testing

@testable import EarshotSealing

struct SealingTests {
    private let terms: SealingTerms
    private let device: DeviceSealing

    init() throws {
        let body = SealingBody(version: 1, salt: Data(1...16), rounds: 100)
        terms = try #require(SealingTerms(body))
        device = try #require(DeviceSealing(body))
    }

    @Test(arguments: [
        (2, 16, 1_000), (0, 16, 1_000), (1, 15, 1_000), (1, 17, 1_000), (1, 0, 1_000), (1, 16, 99), (1, 16, 100_001),
        (1, 16, 0), (1, 16, -1), (1, 16, .max),
    ])
    func `other terms are refused`(version: Int, saltCount: Int, rounds: Int) {
        #expect(SealingTerms(SealingBody(version: version, salt: Data(count: saltCount), rounds: rounds)) == nil)
    }

    @Test func `a key opens only for the token that it was wrapped for, and in its project`() throws {
        let token = Payload.drawnToken()
        let sealed = device.seal(PlainMessage(namespace: "", type: "a", content: [1]), name: "one")
        let secret = TokenSecret(token, terms)
        let wrapped = secret.wrap(sealed.key)
        #expect(secret.unwrap(wrapped) == sealed.key)
        #expect(TokenSecret(Payload.drawnToken(), terms).unwrap(wrapped) == nil)
        let others = try #require(SealingTerms(SealingBody(version: 1, salt: Data(2...17), rounds: 100)))
        let slower = try #require(SealingTerms(SealingBody(version: 1, salt: Data(1...16), rounds: 101)))
        #expect(TokenSecret(token, others).unwrap(wrapped) == nil)
        #expect(TokenSecret(token, slower).unwrap(wrapped) == nil)
        // Each wrapping has a nonce of its own.
        #expect(secret.wrap(sealed.key) != wrapped)
    }

    @Test func `a repeated order has the same bytes, another message or order others, also after a restart`() throws {
        let message = PlainMessage(namespace: "n", type: "t", content: Array("hello".utf8))
        let first = device.seal(message, name: "one")
        let again = try #require(DeviceSealing(device.stored))
        #expect(again.seal(message, name: "one") == first)
        #expect(first.key.open(first.bytes) == message)
        let others = [
            device.seal(message, name: "two"),
            device.seal(PlainMessage(namespace: "n", type: "t", content: Array("hallo".utf8)), name: "one"),
            device.seal(PlainMessage(namespace: "nt", type: "", content: Array("hello".utf8)), name: "one"),
            try #require(DeviceSealing(terms.body)).seal(message, name: "one"),
        ]
        #expect(Set(others.map(\.key) + [first.key]).count == 5)
        #expect(Set(others.map { Array($0.bytes.prefix(12)) } + [Array(first.bytes.prefix(12))]).count == 5)
    }

    @Test func `a message of the largest size is sealed within the allowance of the service`() throws {
        let (namespace, type) = (String(repeating: "\u{1F600}", count: 64), String(repeating: "\u{1F600}", count: 32))
        let message = PlainMessage(
            namespace: namespace, type: type, content: [UInt8](repeating: 7, count: 102_400))
        let sealed = device.seal(message, name: "large")
        #expect(sealed.key.open(sealed.bytes) == message)
        #expect(sealed.bytes.count == 102_400 + Sealing.maximumOverheadCount)
    }

    /// The data that the service, or a thief of its database, has: salt, identifiers,
    /// tags, wrapped keys, sealed contents.
    @Test func `of 1,000 messages none opens without a token, and each with it`() throws {
        for number in 0..<1_000 {
            let (token, text) = (Payload.drawnToken(), "message \(number)")
            let sealed = device.seal(PlainMessage(namespace: "", type: "t", content: Array(text.utf8)), name: text)
            let secret = TokenSecret(token, terms)
            let wrapped = secret.wrap(sealed.key)
            // Each part of the stored data, tried as a token and as a key.
            let kept = secret.identifier.bytes + wrapped + sealed.bytes + terms.salt
            for start in stride(from: 0, to: kept.count - 32, by: 8) {
                let guess = TokenSecret(try Payload(Array(kept[start..<(start + 8)])), terms)
                let key = try #require(ContentKey(Array(kept[start..<(start + 32)])))
                #expect(guess.unwrap(wrapped) == nil && key.open(sealed.bytes) == nil)
            }
            #expect(kept.firstRange(of: Array(text.utf8)) == nil && kept.firstRange(of: token.bytes) == nil)
            let key = try #require(TokenSecret(token, terms).unwrap(wrapped))
            #expect(key.open(sealed.bytes)?.content == Array(text.utf8))
        }
    }

    /// Random, truncated and changed inputs of every opening function.
    @Test func `nothing but what was sealed opens`() throws {
        var random = SeededGenerator(seed: 38)
        let secret = TokenSecret(Payload.drawnToken(), terms)
        let sealed = device.seal(PlainMessage(namespace: "n", type: "t", content: Array(0...50)), name: "fuzz")
        let wrapped = secret.wrap(sealed.key)
        let count = ProcessInfo.processInfo.environment["EARSHOT_LONG_TESTS"] == nil ? 20_000 : 500_000
        for _ in 0..<count {
            for original in [sealed.bytes, wrapped] {
                let changed = Self.changed(original, &random)
                #expect(secret.unwrap(changed) == nil && sealed.key.open(changed) == nil)
            }
            // A device with the key may seal anything.
            _ = PlainMessage(
                (0..<Int.random(in: 0...40, using: &random)).map { _ in .random(in: 0...255, using: &random) })
        }
        #expect(sealed.key.open(sealed.bytes) != nil && secret.unwrap(wrapped) != nil)
    }

    private static func changed(_ original: [UInt8], _ random: inout SeededGenerator) -> [UInt8] {
        switch Int.random(in: 0..<4, using: &random) {
        case 0: return Array(original.prefix(Int.random(in: 0..<original.count, using: &random)))
        case 1:
            var bytes = original
            bytes[Int.random(in: 0..<bytes.count, using: &random)] ^= 1 << UInt8.random(in: 0..<8, using: &random)
            return bytes
        case 2: return original + [.random(in: 0...255, using: &random)]
        default:
            return (0..<Int.random(in: 0...200, using: &random)).map { _ in .random(in: 0...255, using: &random) }
        }
    }

    @Test(
        arguments: [
            [], [0], [0, 0], [0, 0, 0], [0, 5, 65], [255, 255, 65], [0, 1, 0xFF, 0, 0], [0, 0, 0, 2, 65],
        ] as [[UInt8]])
    func `other bytes than a message's are none`(bytes: [UInt8]) {
        #expect(PlainMessage(bytes) == nil)
    }

    @Test func `an empty message is one`() {
        #expect(PlainMessage([0, 0, 0, 0]) == PlainMessage(namespace: "", type: "", content: []))
    }
}
