/// Sound through a loudspeaker, a microphone or a resampler.
///
///     y = h ∗ x,   h of `FrequencyResponse.taps`, so y is `delaySamples` late and twice that longer
///
/// Cost: that of `Echoes`, about 10 ns a sample.
public struct Filtered: SoundSource {
    /// The filter, designed once; shared by any number of sounds.
    public struct Design: Sendable {
        /// How late y is.
        public let delaySamples: Int
        let echoes: Echoes.Design

        /// The filter of a frequency response at one sample rate.
        public init(_ response: FrequencyResponse, sampleRateHertz: Int) {
            delaySamples = response.delaySamples(sampleRateHertz: sampleRateHertz)
            echoes = Echoes.Design(response.taps(sampleRateHertz: sampleRateHertz))
        }
    }

    /// How late y is.
    public let delaySamples: Int
    private var echoes: Echoes

    /// - Parameters:
    ///   - upstream: x.
    ///   - design: of h.
    public init(_ upstream: any SoundSource, _ design: Design) {
        delaySamples = design.delaySamples
        echoes = Echoes(upstream, design.echoes)
    }

    /// - Parameters:
    ///   - upstream: x.
    ///   - response: of h.
    ///   - sampleRateHertz: of x.
    public init(_ upstream: any SoundSource, _ response: FrequencyResponse, sampleRateHertz: Int) {
        self.init(upstream, Design(response, sampleRateHertz: sampleRateHertz))
    }

    /// See the protocol.
    public mutating func read(into block: inout MutableSpan<Float>) -> Int {
        echoes.read(into: &block)
    }
}
