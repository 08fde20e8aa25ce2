import CSystemd
import Glibc

/// The destination of lines. Tests replace it.
package struct NotificationOutput: Sendable {
    /// Receives a line for standard error.
    package var standardError: @Sendable (String) -> Void
    /// Receives the application's identifier and a line for the journal.
    package var journal: @Sendable (String, String) -> Void

    package init(
        standardError: @escaping @Sendable (String) -> Void, journal: @escaping @Sendable (String, String) -> Void
    ) {
        self.standardError = standardError
        self.journal = journal
    }

    /// The streams of the process.
    package static let system = NotificationOutput { line in
        // One system call for each line, so that lines of several threads do not mix.
        let bytes = Array("\(line)\n".utf8)
        _ = bytes.withUnsafeBytes { write(STDERR_FILENO, $0.baseAddress, $0.count) }
    } journal: { application, line in
        guard !standardErrorIsJournal(getenv("JOURNAL_STREAM").map { String(cString: $0) }) else { return }
        sendToJournal(["MESSAGE=\(line)", "PRIORITY=4", "SYSLOG_IDENTIFIER=\(application)"])
    }

    /// Whether systemd connected standard error to the journal, so that a second line would be a copy.
    ///
    /// Source: systemd.exec(5), JOURNAL_STREAM: the device and inode of the stream, in decimal, with a colon between.
    static func standardErrorIsJournal(_ variable: String?, descriptor: Int32 = STDERR_FILENO) -> Bool {
        var status = stat()
        guard let variable, fstat(descriptor, &status) == 0 else { return false }
        return variable == "\(status.st_dev):\(status.st_ino)"
    }

    /// It has no effect without a journal.
    private static func sendToJournal(_ fields: [String]) {
        let pieces = fields.map { Array($0.utf8) }
        let buffer = pieces.flatMap(\.self)
        buffer.withUnsafeBytes { bytes in
            var start = 0
            let vectors = pieces.map { piece in
                defer { start += piece.count }
                return iovec(
                    iov_base: bytes.baseAddress.map { UnsafeMutableRawPointer(mutating: $0 + start) },
                    iov_len: piece.count)
            }
            _ = sd_journal_sendv(vectors, Int32(vectors.count))
        }
    }
}
