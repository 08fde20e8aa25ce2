import EarshotMessages
import Synchronization

/// The answer of an app's own consent dialog. The first call counts; a release without a call leaves the permission undecided.
final class GNSOnceAnswer: Sendable {
    private let waiting: Mutex<CheckedContinuation<PermissionState, Never>?>
    private let log: @Sendable (String) -> Void

    init(_ waiting: CheckedContinuation<PermissionState, Never>, log: @escaping @Sendable (String) -> Void) {
        self.waiting = Mutex(waiting)
        self.log = log
    }

    func give(_ isGranted: Bool) {
        guard let waiting = take() else {
            return log("A permission handler was called again; the first call counts.")
        }
        waiting.resume(returning: isGranted ? .granted : .denied)
    }

    deinit {
        take()?.resume(returning: .undecided)
    }

    private func take() -> CheckedContinuation<PermissionState, Never>? {
        waiting.withLock { waiting in
            defer { waiting = nil }
            return waiting
        }
    }
}
