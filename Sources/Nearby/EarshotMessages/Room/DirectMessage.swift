import EarshotCoding
import Foundation

/// Messages in the sound itself. A payload of exactly 8 bytes is a token; any other is a message.
///
///     sent(m) = m 0     if m has 8 bytes, or 8 bytes followed only by zeros
///     sent(m) = m       otherwise
///
/// The receiver removes one zero if the first 8 bytes are followed only by zeros, at least one. docs/PROTOCOL.md states the
/// same rule.
enum DirectMessage {
    /// The payload to send for a content.
    /// - Throws: `MessageError.directCount` if the content is not 1 to 32 bytes; `directUnsendable` if there is no room for the
    ///   zero.
    static func payload(_ content: Data) throws(MessageError) -> Payload {
        guard Payload.validCounts.contains(content.count) else { throw .directCount(content.count) }
        var bytes = [UInt8](content)
        if bytes.count == Payload.tokenCount || isTokenAndZeros(bytes) {
            guard bytes.count < Payload.validCounts.upperBound else { throw .directUnsendable }
            bytes.append(0)
        }
        do { return try Payload(bytes) } catch { throw .directCount(content.count) }
    }

    /// The content of a payload; nil if it is a token.
    static func content(_ payload: Payload) -> Data? {
        guard payload.count != Payload.tokenCount else { return nil }
        let bytes = payload.bytes
        return Data(isTokenAndZeros(bytes) ? bytes.dropLast() : bytes[...])
    }

    private static func isTokenAndZeros(_ bytes: [UInt8]) -> Bool {
        bytes.count > Payload.tokenCount && bytes.dropFirst(Payload.tokenCount).allSatisfy { $0 == 0 }
    }

    /// A message from a payload that was heard; nil if it is a token.
    static func received(_ payload: Payload) -> ReceivedMessage? {
        content(payload).map {
            ReceivedMessage(message: Message(content: $0), isAuthenticated: false, id: "sound-\(payload.hex)")
        }
    }
}
