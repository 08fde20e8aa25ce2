/// Sound through a loudspeaker, a microphone or a resampler.
///
///     y = h ∗ x,   h of `FrequencyResponse.taps`, so y is `delaySamples` late and twice that longer
///
/// Cost: that of `Echoes`, about 10 ns a sample.
public struct Filtered: SoundSource {
    /// The filter, designed once and shared by any number of sounds.
    public struct Design: Sendable {
        /// The delay of y in samples, ≥ 0.
        public let delaySamples: Int
        let echoes: Echoes.Design

        /// Designs the filter of a frequency response at one sample rate.
        public init(_ response: FrequencyResponse, sampleRateHertz: Int) {
            delaySamples = response.delaySamples(sampleRateHertz: sampleRateHertz)
            echoes = Echoes.Design(response.taps(sampleRateHertz: sampleRateHertz))
        }
    }

    /// The delay of y in samples, ≥ 0.
    public let delaySamples: Int
    private var echoes: Echoes

    /// - Parameters:
    ///   - upstream: x.
    ///   - design: the filter h.
    public init(_ upstream: any SoundSource, _ design: Design) {
        delaySamples = design.delaySamples
        echoes = Echoes(upstream, design.echoes)
    }

    /// - Parameters:
    ///   - upstream: x.
    ///   - response: the frequency response of h.
    ///   - sampleRateHertz: the sample rate of x.
    public init(_ upstream: any SoundSource, _ response: FrequencyResponse, sampleRateHertz: Int) {
        self.init(upstream, Design(response, sampleRateHertz: sampleRateHertz))
    }

    /// Fills the beginning of `block` with the next samples and returns their number, 0 once the sound has ended.
    public mutating func read(into block: inout MutableSpan<Float>) -> Int {
        echoes.read(into: &block)
    }
}
