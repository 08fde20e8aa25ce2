/// A sealed message with its key.
package struct SealedMessage: Sendable, Hashable {
    /// K.
    package let key: ContentKey
    /// GCM(K, "earshot message 1", m).
    package let bytes: [UInt8]

    init(_ message: PlainMessage, key: ContentKey, nonce: [UInt8]) {
        self.key = key
        bytes = Cryptography.seal(message.bytes, key: key.bytes, nonce: nonce, associated: PlainMessage.associated)
    }
}

/// 32 random bytes that a device keeps for the life of its session.
///
/// The key and nonce of a message are derived from it, so a repeated request has the same bytes, also after a restart
/// of the device's program:
///
///     K     = HMAC(secret, "content key" ‖ 00 ‖ name ‖ 00 ‖ m)
///     nonce = HMAC(secret, "content nonce" ‖ 00 ‖ name ‖ 00 ‖ m), 12 bytes
///
/// One key seals one message, so a nonce is never used twice.
package struct DeviceSecret: Sendable, Hashable {
    package let bytes: [UInt8]

    /// A new secret.
    package init() { bytes = Cryptography.random(Cryptography.keyCount) }

    /// A stored secret.
    /// - Returns: nil unless there are 32 bytes.
    package init?(_ bytes: some Collection<UInt8>) {
        guard bytes.count == Cryptography.keyCount else { return nil }
        self.bytes = Array(bytes)
    }

    /// Seals a message.
    /// - Parameter name: the name of the publication, the idempotency key of its order.
    package func seal(_ message: PlainMessage, name: String) -> SealedMessage {
        let tail = [0] + Array(name.utf8) + [0] + message.bytes
        let key = Cryptography.hmac(bytes, Array("content key".utf8) + tail)
        let nonce = Cryptography.hmac(bytes, Array("content nonce".utf8) + tail).prefix(Cryptography.nonceCount)
        guard let key = ContentKey(key) else { preconditionFailure("a hash has the size of a key") }
        return SealedMessage(message, key: key, nonce: Array(nonce))
    }
}
