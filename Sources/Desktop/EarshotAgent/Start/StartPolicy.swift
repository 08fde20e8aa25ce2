import EarshotBasics

/// Decides when the agent may start an app again: at most once in an interval, and less often while the app fails.
struct StartPolicy: Sendable, Hashable {
    private let intervals: BackOff.Bounds

    /// - Parameters:
    ///   - intervalSeconds: the minimum time between two starts, > 0.
    ///   - longestIntervalSeconds: the maximum of that time after repeated failures.
    init(intervalSeconds: Double = 10, longestIntervalSeconds: Double = 3_600) {
        intervals = BackOff.Bounds(
            shortest: .seconds(intervalSeconds), longest: .seconds(max(intervalSeconds, longestIntervalSeconds)))
    }

    /// The time between the last start and the next: it doubles with each failure in a row.
    func pauseSeconds(failureCount: Int) -> Double { intervals.pause(failureCount: failureCount).seconds }

    /// The time to wait before the next start; 0 or less for no wait. A clock that was set back does not prolong it.
    func waitSeconds(_ starts: AppState.Starts, now: Double) -> Double {
        guard let last = starts.last, last <= now else { return 0 }
        return last + pauseSeconds(failureCount: starts.failureCount) - now
    }
}
