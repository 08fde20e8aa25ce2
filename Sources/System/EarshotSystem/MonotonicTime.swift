import Glibc

/// The system's monotonic clock in nanoseconds, shared by ALSA's time stamps and all processes of a machine.
public enum MonotonicTime {
    /// The current time in nanoseconds since an unspecified start.
    public static var nanoseconds: Int64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }

    /// The same in seconds.
    public static var seconds: Double { Double(nanoseconds) / 1e9 }

    /// Sleeps for the whole time, even if a signal arrives.
    package static func sleep(seconds: Double) {
        var left = timespec(tv_sec: Int(seconds), tv_nsec: Int((seconds - seconds.rounded(.down)) * 1e9))
        var rest = timespec()
        while nanosleep(&left, &rest) != 0, errno == EINTR { left = rest }
    }
}
