package import Foundation
package import NearbyWire

/// How one device seals in its session: the project's terms, and a secret of its own.
package struct DeviceSealing: Sendable, Hashable {
    package let terms: SealingTerms
    let secret: DeviceSecret

    /// Sealing in a new session.
    /// - Returns: nil if the terms are invalid; see `SealingTerms`.
    package init?(_ body: SealingBody) {
        guard let terms = SealingTerms(body) else { return nil }
        (self.terms, secret) = (terms, DeviceSecret())
    }

    /// Sealing in a resumed session.
    /// - Returns: nil if the terms are invalid, or the secret has another size.
    package init?(_ stored: Stored) {
        guard let terms = SealingTerms(stored.terms), let secret = DeviceSecret(stored.secret) else { return nil }
        (self.terms, self.secret) = (terms, secret)
    }

    /// The data that a program stores with its session, to resume after a restart.
    package struct Stored: Codable, Sendable, Hashable {
        package let terms: SealingBody
        package let secret: Data
    }

    package var stored: Stored { Stored(terms: terms.body, secret: Data(secret.bytes)) }

    /// Seals a message: the same bytes for the same message and name.
    /// - Parameter name: the name of the publication, the idempotency key of its order.
    package func seal(_ message: PlainMessage, name: String) -> SealedMessage { secret.seal(message, name: name) }
}
