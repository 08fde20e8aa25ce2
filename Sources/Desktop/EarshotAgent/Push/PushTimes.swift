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
    /// A provider that ran so long ran well: its next failure is the first again.
    package var well = 60.0
    /// For a process that an earlier agent started to end by itself.
    package var leftover = 2.0
    /// Between two attempts to begin while an earlier process lives.
    package var leftoverRetry = 0.2
    /// The same report of an earlier process counts as the same in this time.
    package var sameReport = 120.0
    /// After its own start the agent does not start an app before whose process lives, and waits with what it has for an app until
    /// all its processes are there: they are about to connect again, and to say what they have.
    package var resumption = 2.5
    /// Until the next notification that waits is shown. It doubles while no desktop shows any, up to `longestShow`.
    package var show = 1.0
    package var longestShow = 60.0
    /// See `RestartPolicy`.
    package var restart = RestartPolicy.Pauses()

    package init() {}
}
