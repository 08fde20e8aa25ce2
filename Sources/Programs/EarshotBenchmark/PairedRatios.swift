/// Ratios of two processor times, each measured directly after the other: the receiver's and the loop's.
///
///     value = first quartile of tᵢ/lᵢ, and the minimum of this over the measurements
///
/// The ratio of the two minimum times would pair moments that differ: one pass on a core whose other thread rests lowers the
/// numerator alone. The quartile changes by 13 % at most between four runs beside 16 endless loops on two cores, that ratio by 18 %.
package struct PairedRatios {
    private var ratios: [Double] = []
    private var lowest = Double.infinity

    /// Begins another measurement.
    mutating func begin() { (lowest, ratios) = (value, []) }

    mutating func add(_ ratio: Double) { ratios.append(ratio) }

    /// Infinity before the first ratio.
    package var value: Double {
        guard !ratios.isEmpty else { return lowest }
        return min(lowest, ratios.sorted()[ratios.count / 4])
    }
}
