import EarshotBasics

/// The pause before a failed provider is started again: 1 s, doubled with each failure in a row, up to 60 s.
///
/// A provider that started successfully and was killed (SIGKILL) is not at fault, so its pause grows only to 3 s: it is
/// back within 5 s.
package struct RestartPolicy: Sendable, Hashable {
    /// The range of the pauses.
    package struct Pauses: Sendable, Hashable {
        package var shortest = Duration.seconds(1)
        package var longest = Duration.seconds(60)
        package var longestAfterKill = Duration.seconds(3)

        package init() {}
    }

    /// How a provider failed.
    package enum Failure: Sendable, Hashable {
        /// It ended on its own, or its start failed.
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
        defer { failureCount += 1 }
        let longest = failure == .kill ? pauses.longestAfterKill : pauses.longest
        return BackOff.Bounds(shortest: pauses.shortest, longest: longest).pause(failureCount: failureCount).seconds
    }

    /// Restarts, because the network or the configuration changed.
    package mutating func reset() { failureCount = 0 }
}
