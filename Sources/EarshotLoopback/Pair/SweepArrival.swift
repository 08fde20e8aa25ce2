/// Where a sweep was heard in a recording.
package struct SweepArrival: Sendable, Equatable {
    /// The sample at which the first sound of it arrived: what latency is about.
    package var firstSample: Double
    /// The sample at which the strongest of its echoes or the direct sound arrived: what level is about.
    package var strongestSample: Double
    /// The power of the strongest over the mean around it, in decibels; 12 is what the loudest noise of a minute has.
    package var qualityDecibels: Double
    /// The standard deviation of `strongestSample` that the noise around it causes.
    package var deviationSamples: Double

    /// See the properties of the same names.
    package init(firstSample: Double, strongestSample: Double, qualityDecibels: Double, deviationSamples: Double) {
        self.firstSample = firstSample
        self.strongestSample = strongestSample
        self.qualityDecibels = qualityDecibels
        self.deviationSamples = deviationSamples
    }
}
