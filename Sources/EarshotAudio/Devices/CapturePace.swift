import Dispatch
import Synchronization

/// How soon a recording is wanted, from whoever works on it to the thread that reads it.
final class CapturePace: Sendable {
    private let urgent = Atomic(true)
    private let bell = DispatchSemaphore(value: 0)

    /// Wakes the reader when it becomes true.
    var isUrgent: Bool {
        get { urgent.load(ordering: .relaxed) }
        set {
            if urgent.exchange(newValue, ordering: .relaxed) != newValue, newValue { bell.signal() }
        }
    }

    /// Wakes the reader.
    func wake() {
        bell.signal()
    }

    /// Reader: sleeps.
    /// - Returns: whether it was woken.
    func pause(seconds: Double) -> Bool {
        bell.wait(timeout: .now() + seconds) == .success
    }
}
