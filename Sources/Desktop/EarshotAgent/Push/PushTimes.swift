/// The times of a provider's life, in seconds.
package struct PushTimes: Sendable {
    /// For `stop` to call its handler; SIGTERM follows.
    package var grace = 5.0
    /// From SIGTERM to SIGKILL.
    package var termination = 2.0
    /// For `start` to call its handler.
    package var start = 30.0
    /// Between two timer events.
    package var timer = 60.0
    /// After this running time, the next failure counts as the first again.
    package var well = 60.0
    /// For the process of an earlier agent to end.
    package var leftover = 2.0
    /// Between two attempts to start while an earlier process still runs.
    package var leftoverRetry = 0.2
    /// The same report of an earlier process counts as the same in this time.
    package var sameReport = 120.0
    /// After the agent's own start. Until then it does not start an app that has a running process, and sends an app's
    /// events only when all its processes are connected: they are about to reconnect and to report the events that they
    /// have.
    package var resumption = 2.5
    /// Until the next waiting notification is shown. It doubles while no desktop shows any, up to `longestShow`.
    package var show = 1.0
    package var longestShow = 60.0
    /// Between two looks at folders that the system cannot watch.
    package var look = 30.0
    /// See `RestartPolicy`.
    package var restart = RestartPolicy.Pauses()

    package init() {}
}
