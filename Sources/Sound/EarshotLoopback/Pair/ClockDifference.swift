import RealModule

/// How much faster the recorder's clock runs than the player's, from two sweeps of one session.
///
///     ppm = ((last − first)/sent − 1)·10⁶
///
/// A sweep confuses frequency with time, but that moves both arrivals alike, so it does not matter here.
package struct ClockDifference: Sendable, Equatable {
    /// The difference in parts per million; positive if the recording is longer than the played sound.
    package var ppm: Double
    /// The standard deviation of `ppm` that noise causes. Motion between the two sweeps adds to it: 1 cm is 29 µs,
    /// 2.9 ppm over 10 s.
    package var deviationPPM: Double

    /// The difference that two arrivals show.
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
