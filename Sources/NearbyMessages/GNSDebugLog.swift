import Glibc
import Synchronization

/// What helps to find out why nothing is found: a line on standard error whenever something happens, when it is switched on.
/// Keys, tokens, types and contents are in no line.
enum GNSDebugLog {
    private static let isOn = Atomic(false)

    static var isEnabled: Bool {
        get { isOn.load(ordering: .relaxed) }
        set { isOn.store(newValue, ordering: .relaxed) }
    }

    /// One call of the system for each line, so that those of several threads do not mix.
    static let standardError: @Sendable (String) -> Void = { line in
        guard isEnabled else { return }
        let bytes = Array("NearbyMessages: \(line.replacing("\n", with: " "))\n".utf8)
        _ = bytes.withUnsafeBytes { write(STDERR_FILENO, $0.baseAddress, $0.count) }
    }
}
