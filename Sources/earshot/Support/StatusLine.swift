import EarshotConsole
import Synchronization

/// One line on standard error that is drawn again and again in place, on a terminal only, and goes before anything else
/// is printed. Any thread may.
final class StatusLine: Sendable {
    /// Whether anybody sees it.
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

    /// Takes the line away.
    func clear() {
        guard isEnabled else { return }
        isVisible.withLock { isVisible in
            guard isVisible else { return }
            isVisible = false
            StandardStream.error.write("\r\u{1B}[K")
        }
    }
}
