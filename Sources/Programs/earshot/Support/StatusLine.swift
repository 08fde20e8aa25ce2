import EarshotConsole
import Synchronization

/// One line on standard error that is redrawn in place, only on a terminal, and that disappears before other output.
/// Any thread may use it.
final class StatusLine: Sendable {
    /// Whether the line is shown at all.
    let isEnabled: Bool

    private let isVisible = Mutex(false)

    init(isEnabled: Bool = true) {
        self.isEnabled = isEnabled && StandardStream.error.isLiveTerminal
    }

    func show(_ text: String) {
        guard isEnabled else { return }
        isVisible.withLock { isVisible in
            isVisible = true
            StandardStream.error.write("\r\(text)\u{1B}[K")
        }
    }

    /// Removes the line.
    func clear() {
        guard isEnabled else { return }
        isVisible.withLock { isVisible in
            guard isVisible else { return }
            isVisible = false
            StandardStream.error.write("\r\u{1B}[K")
        }
    }
}
