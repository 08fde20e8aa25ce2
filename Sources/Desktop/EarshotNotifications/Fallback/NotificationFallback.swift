import Synchronization

/// Writes notifications that the desktop does not show to standard error. It writes the reason once for each kind of
/// problem, also to the journal.
final class NotificationFallback: Sendable {
    private let reported = Mutex<Set<String>>([])
    private let output: NotificationOutput
    private let application: String

    init(application: String, output: NotificationOutput) {
        self.application = application
        self.output = output
    }

    /// Writes a notification's text as one line.
    func write(_ content: NotificationContent, because problem: NotificationProblem, limits: NotificationLimits) {
        if reported.withLock({ $0.insert(problem.kind).inserted }) {
            let line = "Notifications are written here instead of shown: \(problem)."
            output.standardError("earshot: \(line)")
            output.journal(application, line)
        }
        let parts = [(content.title, limits.titleScalarCount), (content.body, limits.bodyScalarCount)].map {
            NotificationText.cleaned($0.0, maximumScalarCount: $0.1)
        }
        output.standardError("earshot: notification: \(parts.filter { !$0.isEmpty }.joined(separator: ": "))")
    }

    /// Writes a line once.
    func warn(_ line: String) {
        guard reported.withLock({ $0.insert(line).inserted }) else { return }
        output.standardError("earshot: \(line)")
    }
}
