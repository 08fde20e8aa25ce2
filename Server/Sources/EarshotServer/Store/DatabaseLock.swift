import Foundation
import Glibc

/// Another process serves the database.
///
/// The service has the live items in memory, so two services on one database would contradict each other.
package struct DatabaseInUse: Error, Equatable, CustomStringConvertible {
    let path: String
    /// The number of the other process, if it is known.
    let process: Int32?

    package var description: String {
        let other = process.map { "Another earshotd (process \($0))" } ?? "Another earshotd"
        return
            "\(other) serves this database already, and only one may. Stop it, or name another database."
    }
}

/// The right to serve a database. Only one process has it at a time.
///
/// It is a kernel lock on a file beside the database, so it ends with the process in any case. The file stays. It
/// contains the process id, for the error message of a second service only. A lock on the database itself would not
/// work: closing any descriptor of that file ends SQLite's own locks.
final class DatabaseLock: Sendable {
    private let descriptor: Int32

    /// Takes the lock.
    /// - Throws: `DatabaseInUse` if another process has it, or `AdministrationError` if the file cannot be created or locked.
    init(database path: String) throws {
        // Two names of the same database share a lock.
        let file = URL(fileURLWithPath: path).resolvingSymlinksInPath().path + ".lock"
        let descriptor = open(file, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw Self.failure("create", file, errno) }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            let reason = errno
            defer { close(descriptor) }
            guard reason == EWOULDBLOCK else { throw Self.failure("lock", file, reason) }
            throw DatabaseInUse(path: path, process: Self.process(descriptor))
        }
        self.descriptor = descriptor
        let text = Array("\(getpid())\n".utf8)
        // Only the lock matters; the file's content is informative.
        _ = ftruncate(descriptor, 0)
        _ = pwrite(descriptor, text, text.count, 0)
    }

    deinit { close(descriptor) }

    /// Releases the lock before the process ends.
    func release() { flock(descriptor, LOCK_UN) }

    private static func process(_ descriptor: Int32) -> Int32? {
        var buffer = [UInt8](repeating: 0, count: 16)
        let count = pread(descriptor, &buffer, buffer.count, 0)
        guard count > 0 else { return nil }
        return Int32(String(decoding: buffer[..<count], as: UTF8.self).trimmingCharacters(in: .newlines))
    }

    private static func failure(_ action: String, _ file: String, _ reason: Int32) -> AdministrationError {
        AdministrationError(description: "Cannot \(action) '\(file)': \(String(cString: strerror(reason))).")
    }
}
