import Foundation
import Glibc

/// The texts that a user has sent and received, on the user's disk: a tap on a notification opens them.
///
/// One JSON object a line. The provider and the app write whole lines, so they cannot split each other's lines.
public struct TextHistory: Sendable {
    /// A text of the history.
    public struct Entry: Codable, Sendable, Equatable {
        /// The text's identifier.
        public var id: String
        /// The other user.
        public var peer: String
        /// The other user's name.
        public var peerName: String
        /// The text.
        public var text: String
        /// Seconds since 1970.
        public var sentAt: Double
        /// Whether the user has sent it.
        public var isOutgoing: Bool

        /// A text of these values.
        public init(id: String, peer: String, peerName: String, text: String, sentAt: Double, isOutgoing: Bool) {
            self.id = id
            self.peer = peer
            self.peerName = peerName
            self.text = text
            self.sentAt = sentAt
            self.isOutgoing = isOutgoing
        }
    }

    /// The number of the latest texts with one user that are read.
    public static let maximumCount = 200
    /// A longer file loses its older half.
    private static let maximumByteCount = 4 << 20

    private let path: String

    /// - Parameter path: the file. Missing folders above it are made, for the user alone.
    public init(path: String) { self.path = path }

    /// The latest texts with a user, the oldest first. A text that was written twice is returned once.
    public func entries(with peer: String) -> [Entry] {
        var seen: Set<String> = []
        var entries: [Entry] = []
        for line in lines.reversed() where entries.count < Self.maximumCount {
            guard let entry = try? JSONDecoder().decode(Entry.self, from: line), entry.peer == peer,
                seen.insert(entry.isOutgoing ? "> \(entry.id)" : entry.id).inserted
            else { continue }
            entries.append(entry)
        }
        return entries.reversed()
    }

    /// Adds a text.
    /// - Throws: `ShownMessagesError` if the disk refuses.
    public func append(_ entry: Entry) throws {
        let folder = (path as NSString).deletingLastPathComponent
        try? FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        let file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard file >= 0 else { throw ShownMessagesError(path: path, errorNumber: errno) }
        defer { close(file) }
        shorten(file)
        // After a crash in the middle of a line, this entry still begins on a new line.
        guard let json = try? JSONEncoder().encode(entry) else { return }
        let line = Array("\n".utf8) + json
        guard write(file, line, line.count) == line.count else {
            throw ShownMessagesError(path: path, errorNumber: errno)
        }
    }

    private var lines: [Data] {
        (FileManager.default.contents(atPath: path) ?? Data()).split(separator: UInt8(ascii: "\n")).map { Data($0) }
    }

    private func shorten(_ file: CInt) {
        var status = stat()
        guard fstat(file, &status) == 0, status.st_size > Self.maximumByteCount else { return }
        let kept = lines.suffix(lines.count / 2)
        try? Data(kept.map { $0 + [UInt8(ascii: "\n")] }.joined()).write(to: URL(fileURLWithPath: path))
    }
}
