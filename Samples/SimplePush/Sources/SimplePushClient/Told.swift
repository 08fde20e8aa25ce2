import Synchronization

/// Lets the first caller through.
package final class Told: Sendable {
    private let isOver = Atomic(false)

    package init() {}

    /// - Returns: true once.
    package func begin() -> Bool { !isOver.exchange(true, ordering: .relaxed) }
}
