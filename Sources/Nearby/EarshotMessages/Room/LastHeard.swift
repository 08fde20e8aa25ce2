/// When and how strongly a medium last heard a device.
struct LastHeard: Sendable, Equatable {
    /// When its last bit was on the air.
    var at: ContinuousClock.Instant
    /// The received signal strength in dBm; nil if the medium does not know it.
    var rssiDecibelMilliwatts: Int?
}
