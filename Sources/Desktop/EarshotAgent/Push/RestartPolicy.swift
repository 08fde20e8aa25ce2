/// How long to wait before a provider that failed is started again: 1 s, doubled with each failure in a row, up to 60 s.
///
/// A provider that started well and was killed from outside (SIGKILL) did nothing wrong, so its pause grows to 3 s only: it is
/// back within 5 s.
package struct RestartPolicy: Sendable, Hashable {
    /// The range of the pauses, in seconds.
    package struct Pauses: Sendable, Hashable {
        package var shortest = 1.0
        package var longest = 60.0
        package var longestAfterKill = 3.0

        package init() {}
    }

    /// How a provider failed.
    package enum Failure: Sendable, Hashable {
        /// It ended by itself, or its start failed.
        case crash
        /// SIGKILL ended it after its start succeeded.
        case kill
    }

    private let pauses: Pauses
    private(set) var failureCount = 0

    package init(_ pauses: Pauses = Pauses()) { self.pauses = pauses }

    /// Counts a failure.
    /// - Parameter ranWell: whether the provider had run well since its start.
    /// - Returns: the pause before the next start, in seconds.
    package mutating func pause(after failure: Failure, ranWell: Bool) -> Double {
        if ranWell { failureCount = 0 }
        var pause = pauses.shortest
        for _ in 0..<min(failureCount, 64) where pause < pauses.longest { pause *= 2 }
        failureCount += 1
        return min(pause, failure == .kill ? pauses.longestAfterKill : pauses.longest)
    }

    /// Begins anew: the network or the configuration changed.
    package mutating func reset() { failureCount = 0 }
}
