import Synchronization

/// Hands out the numbers 0 ..< end, each once, to threads that ask.
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
