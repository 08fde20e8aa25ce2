import Glibc
import Synchronization

/// Lines that the user must see even without a log: what the program refuses to do, and why.
package enum StandardError {
    private static let written = Mutex<Set<String>>([])

    /// Writes a line, each text only once in a process: an app that repeats a request must not fill the terminal. One
    /// system call for each line, so that lines of several threads do not mix.
    package static let warn: @Sendable (String) -> Void = { text in
        guard written.withLock({ $0.insert(text).inserted }) else { return }
        let bytes = Array("earshot: \(text.replacing("\n", with: " "))\n".utf8)
        _ = bytes.withUnsafeBytes { write(STDERR_FILENO, $0.baseAddress, $0.count) }
    }
}
