/// When the agent may start an app again: at most once in an interval, and more rarely while the app fails.
struct StartPolicy: Sendable, Hashable {
    /// The minimum time between two starts.
    var intervalSeconds = 10.0
    /// The maximum that repeated failures let it grow to.
    var longestIntervalSeconds = 3_600.0

    /// The time between the last start and the next: it doubles with each failure in a row.
    func pauseSeconds(failureCount: Int) -> Double {
        var pause = intervalSeconds
        for _ in 0..<min(max(0, failureCount), 64) where pause < longestIntervalSeconds { pause *= 2 }
        return min(pause, longestIntervalSeconds)
    }

    /// How long to wait before the next start; 0 or less for not at all. A clock that was set back does not prolong it.
    func waitSeconds(_ starts: AppState.Starts, now: Double) -> Double {
        guard let last = starts.last, last <= now else { return 0 }
        return last + pauseSeconds(failureCount: starts.failureCount) - now
    }
}
