import Glibc

/// Formats durations and times of day for text and JSON.
package enum ClockText {
    /// A duration as `h:mm:ss`, such as 0:12:31. Fractions are cut off; a negative duration counts as 0.
    package static func text(seconds: Double) -> String {
        let whole = Int(max(0, seconds))
        let two = { (value: Int) in value < 10 ? "0\(value)" : "\(value)" }
        return "\(whole / 3_600):\(two(whole / 60 % 60)):\(two(whole % 60))"
    }

    /// The UTC time `nanosecondsAgo` before now by the monotonic clock, such as 2026-11-21T14:03:22.157Z.
    package static func utc(nanosecondsAgo: Int64) -> String {
        var now = timespec()
        clock_gettime(CLOCK_REALTIME, &now)
        let nanoseconds = Int64(now.tv_sec) * 1_000_000_000 + Int64(now.tv_nsec) - nanosecondsAgo
        var seconds = time_t(nanoseconds / 1_000_000_000)
        let milliseconds = Int(nanoseconds / 1_000_000 % 1_000)
        var parts = tm()
        gmtime_r(&seconds, &parts)
        var buffer = [CChar](repeating: 0, count: 32)
        let count = strftime(&buffer, buffer.count, "%Y-%m-%dT%H:%M:%S", &parts)
        let text = String(decoding: buffer[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
        return "\(text).\(String(1_000 + milliseconds).dropFirst())Z"
    }
}
