import Foundation
import Glibc

/// The secret that the server and all its clients have. It authenticates them and encrypts their links.
public struct SharedSecret: Sendable, Equatable {
    /// The length of a secret, in bytes. BoringSSL takes up to 256.
    public static let allowedByteCounts = 16...128

    let bytes: [UInt8]

    /// - Parameter text: The secret; spaces and line breaks around it do not count.
    /// - Throws: `SecretError.length`
    public init(_ text: String) throws(SecretError) {
        let bytes = Array(text.trimmingCharacters(in: .whitespacesAndNewlines).utf8)
        guard Self.allowedByteCounts.contains(bytes.count) else { throw .length(bytes.count) }
        self.bytes = bytes
    }

    /// - Parameter path: A file with the secret, which other users of the machine must not be able to read.
    /// - Throws: `SecretError`
    public init(fileAt path: String) throws(SecretError) {
        var status = stat()
        guard stat(path, &status) == 0 else { throw .unreadable(path, String(cString: strerror(errno))) }
        guard status.st_mode & 0o007 == 0 else { throw .isOpen(path) }
        // A secret is short; a device or a huge file is a mistake.
        guard status.st_mode & S_IFMT == S_IFREG, status.st_size <= 4_096 else {
            throw .unreadable(path, "no small file")
        }
        let text: String
        do {
            text = try String(contentsOfFile: path, encoding: .utf8)
        } catch {
            throw .unreadable(path, "it cannot be read as text")
        }
        try self.init(text)
    }

    /// A new secret of 160 random bits, as 32 letters and digits.
    public static func random() -> String { randomIdentifier(characterCount: 32) }
}

/// A random identifier of lower-case letters and digits, 5 bits each.
public func randomIdentifier(characterCount: Int) -> String {
    var generator = SystemRandomNumberGenerator()
    let alphabet = Array("abcdefghijklmnopqrstuvwxyz234567")
    return String((0..<characterCount).map { _ in alphabet[Int.random(in: 0..<32, using: &generator)] })
}

/// The reason why there is no shared secret.
public enum SecretError: Error, Equatable, CustomStringConvertible {
    /// The secret has this many bytes.
    case length(Int)
    /// The file at the path cannot be read, for this reason.
    case unreadable(String, String)
    /// Other users can read or change the file at the path.
    case isOpen(String)

    /// A sentence.
    public var description: String {
        switch self {
        case .length(let count):
            "The secret has \(count) bytes; \(SharedSecret.allowedByteCounts.lowerBound) to "
                + "\(SharedSecret.allowedByteCounts.upperBound) are needed. 'simplepush-server secret' makes one."
        case .unreadable(let path, let reason): "The secret file \(path) cannot be read: \(reason)."
        case .isOpen(let path):
            "Other users of this machine can reach the secret file \(path). Run: chmod o-rwx '\(path)'"
        }
    }
}
