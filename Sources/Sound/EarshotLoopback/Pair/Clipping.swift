/// Signs that a sound was clipped.
package struct Clipping: Sendable, Equatable {
    /// Full scale: converters of 16 bits end at 0.99997, and a sound resampled after one ends nearby.
    package static let fullScale: Float = 0.999
    /// The minimum peak at which flat tops count: below it, the steps of 16 bits alone cause them.
    static let minimumFlatPeak: Float = 0.1

    /// The share of samples at or beyond ±0.999, 0 ... 1.
    package var fullScaleShare: Double
    /// The share of samples within 0.1 % of the maximum magnitude, 0 ... 1. A steady sine has 2/π·acos(0.999) = 2.8 %, a sine
    /// with 1 dB clipped has 30 %: this shows clipping below full scale. 0 if the maximum is below 0.1.
    package var flatTopShare: Double

    /// Sets the properties of the same names.
    package init(fullScaleShare: Double, flatTopShare: Double) {
        self.fullScaleShare = fullScaleShare
        self.flatTopShare = flatTopShare
    }

    /// Whether this is more than knocks or a single loud frequency cause: 0.1 % at full scale, or twice a sine's flat
    /// top.
    package var isAudible: Bool { fullScaleShare > 0.001 || flatTopShare > 0.056 }

    init(_ recording: [Float], in range: Range<Int>) {
        let part = recording[range.clamped(to: recording.indices)]
        let count = Double(max(part.count, 1))
        let peak = part.reduce(0) { max($0, abs($1.usable)) }
        let flatCount = part.count { abs($0.usable) >= 0.999 * peak }
        fullScaleShare = Double(part.count { abs($0.usable) >= Clipping.fullScale }) / count
        flatTopShare = peak >= Clipping.minimumFlatPeak ? Double(flatCount) / count : 0
    }
}
