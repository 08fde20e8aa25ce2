import EarshotCoding
import Foundation

/// Messages in the sound itself. A payload of exactly 8 bytes is a token; any other is a message.
///
///     said(m) = m 0     where m has 8 bytes, or 8 bytes and then only zeros
///     said(m) = m       else
///
/// so a receiver takes one zero off where behind 8 bytes there are only zeros, at least one. docs/PROTOCOL.md has it, too.
enum DirectMessage {
    /// What to say.
    /// - Throws: `directCount`, `directUnsendable`.
    static func payload(_ content: Data) throws(MessageError) -> Payload {
        guard Payload.validCounts.contains(content.count) else { throw .directCount(content.count) }
        var bytes = [UInt8](content)
        if bytes.count == Payload.tokenCount || isTokenAndZeros(bytes) {
            guard bytes.count < Payload.validCounts.upperBound else { throw .directUnsendable }
            bytes.append(0)
        }
        do { return try Payload(bytes) } catch { throw .directCount(content.count) }
    }

    /// What was said; nil where it is a token.
    static func content(_ payload: Payload) -> Data? {
        guard payload.count != Payload.tokenCount else { return nil }
        let bytes = payload.bytes
        return Data(isTokenAndZeros(bytes) ? bytes.dropLast() : bytes[...])
    }

    private static func isTokenAndZeros(_ bytes: [UInt8]) -> Bool {
        bytes.count > Payload.tokenCount && bytes.dropFirst(Payload.tokenCount).allSatisfy { $0 == 0 }
    }

    /// A message that was heard; nil where it is a token.
    static func received(_ payload: Payload) -> ReceivedMessage? {
        content(payload).map {
            ReceivedMessage(message: Message(content: $0), isAuthenticated: false, id: "sound-\(payload.hex)")
        }
    }
}
