import Dispatch
import Synchronization

/// How soon the consumer wants a recording; the consumer sets it, the reading thread obeys.
final class CapturePace: Sendable {
    private let urgent = Atomic(true)
    private let bell = DispatchSemaphore(value: 0)

    /// Whether the consumer wants each period at once. Setting it to true wakes the reader.
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

    /// Reader: sleeps for at most `seconds`.
    /// - Returns: whether `wake` ended the sleep.
    func pause(seconds: Double) -> Bool {
        bell.wait(timeout: .now() + seconds) == .success
    }
}
