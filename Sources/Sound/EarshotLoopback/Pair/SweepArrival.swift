/// The place of a sweep in a recording.
package struct SweepArrival: Sendable, Equatable {
    /// The sample at which its first sound arrived. It gives the latency.
    package var firstSample: Double
    /// The sample at which its strongest sound arrived, an echo or the direct sound. It gives the level.
    package var strongestSample: Double
    /// The power of the strongest arrival over the mean around it, in decibels; the loudest noise of a minute has 12.
    package var qualityDecibels: Double
    /// The standard deviation of `strongestSample` that the noise around it causes.
    package var deviationSamples: Double

    /// Sets the properties of the same names.
    package init(firstSample: Double, strongestSample: Double, qualityDecibels: Double, deviationSamples: Double) {
        self.firstSample = firstSample
        self.strongestSample = strongestSample
        self.qualityDecibels = qualityDecibels
        self.deviationSamples = deviationSamples
    }
}
