/// A sound played faster or slower, as by steady motion or a wrong clock.
///
///     y[n] = x(n·(1 + ε)),   frequencies times 1 + ε, durations divided by it
///
/// ε > 0 is an approaching source. It applies `TimeWarp.steady` to a whole sound: flat to 0.01 dB up to 0.45 of the
/// sample rate.
public struct TimeScale: Sendable {
    /// ε, the relative change of speed, above −1.
    public let relativeOffset: Double
    /// The position of the first output sample between the first two input samples, 0 ..< 1.
    public let fractionalDelay: Double

    /// Creates a time scale from its properties.
    public init(relativeOffset: Double, fractionalDelay: Double = 0) {
        precondition((0..<1).contains(fractionalDelay), "a fractional delay of \(fractionalDelay) samples")
        precondition(relativeOffset > -1, "a speed of \(1 + relativeOffset)")
        self.relativeOffset = relativeOffset
        self.fractionalDelay = fractionalDelay
    }

    /// y, as long as x lasts at the new speed.
    public func apply(to samples: [Float]) -> [Float] {
        // One sample of silence, because the last output sample may be slightly after the end.
        var warped = Warped(
            StoredSound(samples + [0]), .steady(relativeOffset: relativeOffset, fractionalDelay: fractionalDelay))
        return warped.read(count: Int(Double(samples.count) / (1 + relativeOffset)))
    }
}
