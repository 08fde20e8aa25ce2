package import FoundationEssentials
import NearbyWire

/// A secret that only its holder knows: an API key, or the session of a device. The store has its SHA-256.
///
/// A plain hash suffices, because both have 160 random bits or more and cannot be guessed.
package enum Secret {
    /// The prefix of an API key, by which people and scanners recognise it.
    static let keyPrefix = "earshot-key-"
    /// The prefix of an owner's key, which must not be in an app.
    static let ownerKeyPrefix = "earshot-owner-"
    /// The prefix of a browser key, which everyone can read in its page.
    static let browserKeyPrefix = "earshot-browser-"
    /// The prefix of the secret of a device session.
    static let sessionPrefix = "earshot-session-"
    /// The maximum length of a text that the service hashes.
    static let maximumCount = 128

    package static func newKey(_ role: KeyRole = .device) -> String {
        (role == .owner ? ownerKeyPrefix : keyPrefix) + randomHex(byteCount: 20)
    }

    package static func newBrowserKey() -> String { browserKeyPrefix + randomHex(byteCount: 20) }

    static func newSession() -> String { sessionPrefix + randomHex(byteCount: 32) }

    package static func hash(_ secret: String) -> Data { Data(sha256(secret.utf8)) }

    /// The salt of a new sealed project.
    package static func newSalt() -> Data { Data(randomBytes(Sealing.saltCount)) }

    /// A new public identifier: 32 hexadecimal digits.
    static func newIdentifier() -> String { randomHex(byteCount: 16) }

    /// Random bytes from the kernel.
    static func randomBytes(_ count: Int) -> [UInt8] {
        // Whole words, because each draw is a system call.
        var generator = SystemRandomNumberGenerator()
        var bytes: [UInt8] = []
        bytes.reserveCapacity(count)
        while bytes.count < count {
            let word: UInt64 = generator.next()
            withUnsafeBytes(of: word) { bytes.append(contentsOf: $0.prefix(count - bytes.count)) }
        }
        return bytes
    }

    private static func randomHex(byteCount: Int) -> String { randomBytes(byteCount).hex }
}
