import Foundation
package import NearbyWire

/// How the devices of a project seal their messages: section 12 of docs/PROTOCOL.md, whose letters the comments use.
package struct SealingTerms: Sendable, Hashable {
    /// S, 16 bytes.
    let salt: [UInt8]
    /// n.
    package let rounds: Int

    /// The terms from the service.
    /// - Returns: nil for another version, another size of the salt, or rounds out of the accepted range. The service is not trusted.
    package init?(_ body: SealingBody) {
        guard body.version == Sealing.version, body.salt.count == Sealing.saltCount,
            Sealing.acceptedRounds.contains(body.rounds)
        else { return nil }
        (salt, rounds) = (Array(body.salt), body.rounds)
    }

    var body: SealingBody { SealingBody(version: Sealing.version, salt: Data(salt), rounds: rounds) }

    /// The tag by which the service selects, in place of a namespace.
    package func tag(namespace: String) -> String { tag("namespace", namespace) }

    /// The tag by which the service selects, in place of a type.
    package func tag(type: String) -> String { tag("type", type) }

    /// tag(kind, t) = the first 16 bytes of HMAC(S, kind ‖ 00 ‖ t); of the empty text, the empty text.
    private func tag(_ kind: String, _ text: String) -> String {
        guard !text.isEmpty else { return "" }
        let hash = Cryptography.hmac(salt, Array(kind.utf8) + [0] + Array(text.utf8))
        return hash.prefix(16).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
}
