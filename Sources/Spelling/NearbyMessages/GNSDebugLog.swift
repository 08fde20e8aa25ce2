import Glibc
import Synchronization

/// The debug log: if it is on, it writes a line to standard error at each step, to show why no message is found. Lines
/// contain no key, token, type or content.
enum GNSDebugLog {
    private static let isOn = Atomic(false)

    static var isEnabled: Bool {
        get { isOn.load(ordering: .relaxed) }
        set { isOn.store(newValue, ordering: .relaxed) }
    }

    /// One system call for each line, so that lines of several threads do not mix.
    static let standardError: @Sendable (String) -> Void = { line in
        guard isEnabled else { return }
        let bytes = Array("NearbyMessages: \(line.replacing("\n", with: " "))\n".utf8)
        _ = bytes.withUnsafeBytes { write(STDERR_FILENO, $0.baseAddress, $0.count) }
    }
}
