import Foundation
import Glibc

/// The messages that were announced to the user, on the disk.
///
/// The server delivers a message again when it did not get the acknowledgement. This file makes the user see it once.
/// One line for each message, `SENDER ID`. A line is on the disk before `record` returns.
public final class ShownMessages {
    /// The number of the latest messages in the file. The server keeps at most 256 for a user.
    public static let defaultLimit = 4_096

    /// The path of the file.
    public let path: String
    private let limit: Int
    private var keys: [String] = []
    private var known: Set<String> = []
    private var descriptor: CInt = -1

    /// - Parameters:
    ///   - path: The file. Missing folders above it are made, for the user alone.
    ///   - limit: The minimum number of messages that it remembers.
    /// - Throws: `ShownMessagesError`
    public init(path: String, limit: Int = ShownMessages.defaultLimit) throws {
        self.path = path
        self.limit = limit
        let folder = (path as NSString).deletingLastPathComponent
        try? FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        if let data = FileManager.default.contents(atPath: path) {
            // A crash may have cut the last line.
            for line in data.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: true)
            where line.endIndex < data.endIndex {
                remember(String(decoding: line, as: UTF8.self))
            }
        }
        try rewrite()
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    /// Whether the message was announced.
    public func contains(sender: String, id: String) -> Bool { known.contains(Self.key(sender, id)) }

    /// Records that the message was announced.
    /// - Throws: `ShownMessagesError` if the disk refuses.
    public func record(sender: String, id: String) throws {
        let key = Self.key(sender, id)
        guard !known.contains(key) else { return }
        remember(key)
        if keys.count > 2 * limit {
            forget()
            return try rewrite()
        }
        try Self.write(Data((key + "\n").utf8), to: descriptor, path)
    }

    private static func key(_ sender: String, _ id: String) -> String { "\(sender) \(id)" }

    private func remember(_ key: String) {
        if known.insert(key).inserted { keys.append(key) }
    }

    private func forget() {
        guard keys.count > limit else { return }
        for key in keys.prefix(keys.count - limit) { known.remove(key) }
        keys.removeFirst(keys.count - limit)
    }

    /// Writes a new file and replaces the old one.
    private func rewrite() throws {
        if keys.count > limit { forget() }
        let new = path + ".new"
        let file = open(new, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw ShownMessagesError(path: new, errorNumber: errno) }
        do {
            try Self.write(Data(keys.map { $0 + "\n" }.joined().utf8), to: file, new)
            guard rename(new, path) == 0 else { throw ShownMessagesError(path: path, errorNumber: errno) }
        } catch {
            close(file)
            throw error
        }
        let folder = open((path as NSString).deletingLastPathComponent, O_RDONLY | O_CLOEXEC)
        if folder >= 0 {
            fsync(folder)
            close(folder)
        }
        if descriptor >= 0 { close(descriptor) }
        descriptor = file
    }

    private static func write(_ data: Data, to file: CInt, _ path: String) throws {
        var written = 0
        while written < data.count {
            let count = data.withUnsafeBytes { bytes in
                Glibc.write(file, bytes.baseAddress.map { $0 + written }, data.count - written)
            }
            if count < 0 && errno == EINTR { continue }
            guard count > 0 else { throw ShownMessagesError(path: path, errorNumber: errno) }
            written += count
        }
        guard fdatasync(file) == 0 else { throw ShownMessagesError(path: path, errorNumber: errno) }
    }
}

/// The list of shown messages cannot be written.
public struct ShownMessagesError: Error, CustomStringConvertible {
    /// The file.
    public let path: String
    /// The system's error number.
    public let errorNumber: CInt

    /// A sentence.
    public var description: String { "\(path) cannot be written: \(systemReason(errorNumber))." }
}
