import EarshotMessages
import EarshotSystem
import Foundation
import Glibc
import NearbyWire

/// The lock that a provider's process holds during its whole life, so that a configuration never has two processes.
///
/// The agent locks the file and hands the descriptor to the process. The lock belongs to the open file, so it ends with
/// the last process that has the file open, independent of the agent.
struct ProviderLock: Sendable {
    let descriptor: Descriptor

    enum Failure: Error {
        /// Another process holds the lock.
        case held
        /// The file cannot be used; a sentence.
        case unusable(String)
    }

    init(path: String) throws(Failure) {
        let number = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard number >= 0 else {
            throw .unusable("Cannot open \(path): \(String(cString: strerror(errno)).lowercased()).")
        }
        descriptor = Descriptor(owning: number)
        guard flock(number, LOCK_EX | LOCK_NB) == 0 else { throw .held }
    }

    /// Records the process that has the lock.
    func note(_ process: pid_t) {
        let bytes = Array("\(process) \(Self.startTime(of: process) ?? 0)\n".utf8)
        ftruncate(descriptor.number, 0)
        _ = pwrite(descriptor.number, bytes, bytes.count, 0)
    }

    /// The recorded process, if it still runs.
    static func holder(path: String) -> pid_t? {
        guard let text = try? String(contentsOfFile: path, encoding: .utf8) else { return nil }
        let numbers = text.split(whereSeparator: \.isWhitespace).compactMap { UInt64($0) }
        guard numbers.count == 2, let process = pid_t(exactly: numbers[0]), process > 1,
            startTime(of: process) == numbers[1]
        else { return nil }
        return process
    }

    /// The start time of a process, in the kernel's ticks. It tells the process from a later one with the same number.
    static func startTime(of process: pid_t) -> UInt64? {
        guard let text = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8),
            let end = text.lastIndex(of: ")")
        else { return nil }
        // The state is the first field after the name, the time the twentieth.
        let fields = text[end...].split(separator: " ").dropFirst()
        return fields.count > 19 ? UInt64(fields[fields.startIndex + 19]) : nil
    }
}
