package import EarshotCoding

/// The values that a device derives from a token T that it sends or hears.
///
///     P = PBKDF2(T, S, n)      I = HMAC(P, "earshot identifier 1"), 8 bytes      W = HMAC(P, "earshot wrapping key 1")
package struct TokenSecret: Sendable, Hashable {
    /// I, by which the service knows the token.
    package let identifier: Payload
    /// W.
    let wrappingKey: [UInt8]

    /// The secret of a token. Cost: n rounds, 0.3 ms for 1,000.
    package init(_ token: Payload, _ terms: SealingTerms) {
        let secret = Cryptography.pbkdf2(token.bytes, salt: terms.salt, rounds: terms.rounds)
        let hash = Cryptography.hmac(secret, Array("earshot identifier 1".utf8))
        guard let identifier = try? Payload(Array(hash.prefix(Payload.tokenCount))) else {
            preconditionFailure("8 bytes are a payload")
        }
        self.identifier = identifier
        wrappingKey = Cryptography.hmac(secret, Array("earshot wrapping key 1".utf8))
    }

    /// wrapped(I, W, K), 60 bytes, with a new nonce.
    package func wrap(_ key: ContentKey) -> [UInt8] { wrap(key, nonce: Cryptography.random(Cryptography.nonceCount)) }

    func wrap(_ key: ContentKey, nonce: [UInt8]) -> [UInt8] {
        Cryptography.seal(key.bytes, key: wrappingKey, nonce: nonce, associated: associated)
    }

    /// K.
    /// - Returns: nil if the key was wrapped for another token, or changed.
    package func unwrap(_ wrapped: some Collection<UInt8>) -> ContentKey? {
        Cryptography.open(Array(wrapped), key: wrappingKey, associated: associated).flatMap(ContentKey.init)
    }

    private var associated: [UInt8] { Array("earshot key 1".utf8) + identifier.bytes }
}

extension Payload {
    /// A new token.
    package static func drawnToken() -> Payload {
        guard let token = try? Payload(Cryptography.random(tokenCount)) else {
            preconditionFailure("8 bytes are a payload")
        }
        return token
    }
}
