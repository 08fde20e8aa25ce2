import Synchronization

/// Hands out 0 ..< end to whoever asks first, each once.
final class WorkCounter: Sendable {
    private let next = Atomic(0)
    private let end: Int

    init(end: Int) {
        self.end = end
    }

    func take() -> Int? {
        let index = next.wrappingAdd(1, ordering: .relaxed).oldValue
        return index < end ? index : nil
    }
}
