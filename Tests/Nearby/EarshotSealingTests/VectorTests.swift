import EarshotCoding
import Foundation
import NearbyWire
import Testing

@testable import EarshotSealing

/// The vectors of `Vectors/make_vectors.py`, which follows section 12 of docs/PROTOCOL.md with another library.
struct VectorTests {
    struct Vector: Decodable, CustomTestStringConvertible {
        let salt: String
        let rounds: Int
        let token: String
        let identifier: String
        let wrapping_key: String
        let namespace: String
        let type: String
        let content: String
        let namespace_tag: String
        let type_tag: String
        let content_key: String
        let sealed: String
        let wrapped: String

        var testDescription: String { token }
        var terms: SealingTerms? {
            SealingTerms(SealingBody(version: 1, salt: Data(bytes(salt)), rounds: rounds))
        }
    }

    private static let vectors: [Vector] = {
        let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Vectors/sealing.json")
        guard let data = try? Data(contentsOf: file), let vectors = try? JSONDecoder().decode([Vector].self, from: data)
        else { return [] }
        return vectors
    }()

    @Test func `there are vectors`() { #expect(Self.vectors.count == 7) }

    @Test(arguments: vectors) func `a token has the vector's secret`(vector: Vector) throws {
        let secret = TokenSecret(try Payload(hex: vector.token), try #require(vector.terms))
        #expect(secret.identifier.hex == vector.identifier)
        #expect(secret.wrappingKey == bytes(vector.wrapping_key))
    }

    @Test(arguments: vectors) func `a message is sealed as in the vector, and opened`(vector: Vector) throws {
        let key = try #require(ContentKey(bytes(vector.content_key)))
        let message = PlainMessage(namespace: vector.namespace, type: vector.type, content: bytes(vector.content))
        let sealed = SealedMessage(message, key: key, nonce: Array(bytes(vector.sealed).prefix(12)))
        #expect(sealed.bytes == bytes(vector.sealed))
        #expect(key.open(bytes(vector.sealed)) == message)
        let added = sealed.bytes.count - message.content.count - message.namespace.utf8.count - message.type.utf8.count
        #expect(added == 32)
    }

    @Test(arguments: vectors) func `a key is wrapped as in the vector, and unwrapped`(vector: Vector) throws {
        let secret = TokenSecret(try Payload(hex: vector.token), try #require(vector.terms))
        let key = try #require(ContentKey(bytes(vector.content_key)))
        #expect(secret.wrap(key, nonce: Array(bytes(vector.wrapped).prefix(12))) == bytes(vector.wrapped))
        #expect(secret.unwrap(bytes(vector.wrapped)) == key)
        #expect(bytes(vector.wrapped).count == Sealing.wrappedKeyCount)
    }

    @Test(arguments: vectors) func `the filters have the vector's tags`(vector: Vector) throws {
        let terms = try #require(vector.terms)
        #expect(terms.tag(namespace: vector.namespace) == vector.namespace_tag)
        #expect(terms.tag(type: vector.type) == vector.type_tag)
    }
}

/// The bytes of hexadecimal digits.
func bytes(_ digits: String) -> [UInt8] {
    var rest = digits[...]
    var bytes: [UInt8] = []
    while rest.count >= 2 {
        bytes.append(UInt8(rest.prefix(2), radix: 16) ?? 0)
        rest = rest.dropFirst(2)
    }
    return bytes
}
