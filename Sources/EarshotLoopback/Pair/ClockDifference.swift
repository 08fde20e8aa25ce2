import RealModule

/// How much faster the recorder's clock runs than the player's, from two sweeps of one session.
///
///     ppm = ((last − first)/sent − 1)·10⁶
///
/// That frequencies and times of a sweep cannot be told apart moves both arrivals alike, so it does not matter here.
package struct ClockDifference: Sendable, Equatable {
    /// Parts in a million; positive where the recording is longer than what was played.
    package var ppm: Double
    /// The standard deviation of `ppm` that noise causes. What moves between the two sweeps counts on top: 1 cm is 29 µs,
    /// 2.9 ppm over 10 s.
    package var deviationPPM: Double

    /// The difference that two arrivals tell.
    /// - Parameter sentSpacingSamples: from the start of the first sweep to that of the last, as played; above 0.
    package static func ppm(
        first: SweepArrival, last: SweepArrival, sentSpacingSamples: Double
    ) -> ClockDifference {
        precondition(sentSpacingSamples > 0, "\(sentSpacingSamples) samples between two sweeps")
        let spacing = last.strongestSample - first.strongestSample
        let variance = first.deviationSamples * first.deviationSamples + last.deviationSamples * last.deviationSamples
        return ClockDifference(
            ppm: (spacing / sentSpacingSamples - 1) * 1e6,
            deviationPPM: variance.squareRoot() / sentSpacingSamples * 1e6)
    }
}
