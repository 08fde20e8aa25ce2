import EarshotDSP

/// Finds the frequency above which a path passes nothing: a resampler's or a converter's edge.
///
/// Each bin is compared with the median of the ten (500 Hz) that passed before it, and passes if it is at most 6 dB below; the
/// last one that passes is the edge. 6 dB, because a windowed-sinc filter is at half amplitude exactly at its cut-off. The
/// reference is the bins before it and not the band's own median, because an edge at 19 kHz leaves most of the band empty, and
/// because a loudspeaker that falls by 20 dB over the band cuts nothing off: only a fall steeper than about 6 dB in 275 Hz is an
/// edge. A median over five bins first removes the effect of a room's nulls on single bins.
enum CutOff {
    static let allowedDropDecibels = 6.0
    static let referenceCount = 10
    /// The minimum number of bins beyond an edge: closer to the end of the measurement, the fall might not continue.
    static let minimumBeyondCount = 4

    /// The index of the last bin that passes; nil if all bins pass.
    static func lastPassingBin(_ decibels: [Double]) -> Int? {
        guard decibels.count > referenceCount + minimumBeyondCount else { return nil }
        let smooth = decibels.indices.map { bin in
            medianOf(decibels[max(bin - 2, 0)...min(bin + 2, decibels.count - 1)])
        }
        var passed = Array(smooth[..<referenceCount])
        var last = referenceCount - 1
        for bin in referenceCount..<smooth.count {
            if smooth[bin] >= medianOf(passed.suffix(referenceCount)) - allowedDropDecibels {
                passed.append(smooth[bin])
                last = bin
            }
        }
        return last + minimumBeyondCount < decibels.count ? last : nil
    }

    private static func medianOf(_ values: ArraySlice<Double>) -> Double {
        let sorted = values.sorted()
        return 0.5 * (sorted[sorted.count / 2] + sorted[(sorted.count - 1) / 2])
    }
}
