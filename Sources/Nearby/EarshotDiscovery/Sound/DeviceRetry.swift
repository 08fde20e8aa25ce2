/// The waits between attempts to open a device: 0.2 s, then twice as long each time, up to 2 s.
struct DeviceRetry {
    private static let waitsSeconds = 0.2...2.0
    private var seconds = waitsSeconds.lowerBound

    mutating func nextWaitSeconds() -> Double {
        defer { seconds = min(2 * seconds, Self.waitsSeconds.upperBound) }
        return seconds
    }
}
