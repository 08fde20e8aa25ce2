import Foundation
import Glibc

/// The agent's time. A test has its own clock.
package struct AgentClock: Sendable {
    /// Seconds of a clock that only runs forward, also while the machine sleeps.
    package var monotonicSeconds: @Sendable () -> Double = {
        var time = timespec()
        clock_gettime(CLOCK_BOOTTIME, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
    /// Seconds since 1970, by the calendar, which may be set at any time.
    package var wallSeconds: @Sendable () -> Double = { Date().timeIntervalSince1970 }
}
