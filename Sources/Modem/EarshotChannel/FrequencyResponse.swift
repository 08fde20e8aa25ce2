import EarshotDSP
import RealModule

/// The frequency response of a loudspeaker, a microphone or a resampler.
///
///     G(f) in dB, straight lines between points, over linear frequency; the first and the last point hold beyond them
///
/// Realised as a filter of linear phase, 1/12 s long: h is G's Fourier transform, windowed. The window rounds corners:
/// its deviation of 14.9 ms smooths G by 10.7 Hz, which at a corner of s dB/kHz is 0.0043·s dB, 0.06 dB for 20 dB over
/// the band.
public struct FrequencyResponse: Sendable, Equatable {
    /// One point of G.
    public struct Point: Sendable, Equatable {
        /// The frequency f in hertz.
        public let hertz: Double
        /// The level G(f) in decibels.
        public let decibels: Double

        /// Creates a point from its properties.
        public init(hertz: Double, decibels: Double) {
            self.hertz = hertz
            self.decibels = decibels
        }
    }

    /// The points of G, by ascending frequency, at least one.
    public let points: [Point]

    /// - Parameter points: by ascending frequency, at least one.
    public init(_ points: [Point]) {
        precondition(!points.isEmpty && zip(points, points.dropFirst()).allSatisfy { $0.hertz < $1.hertz })
        self.points = points
    }

    /// A linear fall: 0 dB up to the band's lower edge, −`decibels` from its upper edge on.
    public static func tilt(decibels: Double, overHertz band: ClosedRange<Double> = 18_500...20_000) -> Self {
        Self([Point(hertz: band.lowerBound, decibels: 0), Point(hertz: band.upperBound, decibels: -decibels)])
    }

    /// A resampler that ends below the band's upper edge: 0 dB up to `hertz`, −80 dB from 200 Hz above.
    public static func cutOff(atHertz hertz: Double) -> Self {
        Self([Point(hertz: hertz, decibels: 0), Point(hertz: hertz + 200, decibels: -80)])
    }

    /// A phone's loudspeaker: 40 dB less at 19.25 kHz than at 1 kHz, and 6 dB of tilt over the band. Relative to
    /// 19.25 kHz, so that the signal-to-noise ratio keeps its meaning. The shape is invented, the depth was measured.
    public static let phoneLoudspeaker = Self([
        Point(hertz: 1_000, decibels: 40), Point(hertz: 10_000, decibels: 30), Point(hertz: 16_000, decibels: 15),
        Point(hertz: 18_500, decibels: 3), Point(hertz: 20_000, decibels: -3), Point(hertz: 22_000, decibels: -15),
    ])

    /// A phone's microphone: 15 dB less at 19.25 kHz than at 1 kHz, and 3 dB of tilt over the band; see
    /// `phoneLoudspeaker`.
    public static let phoneMicrophone = Self([
        Point(hertz: 1_000, decibels: 15), Point(hertz: 10_000, decibels: 12), Point(hertz: 16_000, decibels: 6),
        Point(hertz: 18_500, decibels: 1.5), Point(hertz: 20_000, decibels: -1.5), Point(hertz: 22_000, decibels: -6),
    ])

    /// The level G(f) in decibels.
    public func decibels(atHertz hertz: Double) -> Double {
        guard let next = points.firstIndex(where: { $0.hertz > hertz }) else {
            return points[points.count - 1].decibels
        }
        guard next > 0 else { return points[0].decibels }
        let (low, high) = (points[next - 1], points[next])
        return low.decibels + (high.decibels - low.decibels) * (hertz - low.hertz) / (high.hertz - low.hertz)
    }

    /// The filter's delay in samples, ≥ 0.
    public func delaySamples(sampleRateHertz: Int) -> Int {
        sampleRateHertz / 24
    }

    /// h, symmetrical about `delaySamples`; shape [2·delaySamples + 1].
    ///
    ///     h[n] = w(n/(D + 1)) · 1/N·Σₖ 10^(G(k·F/N)/20)·cos(2πkn/N),   n = −D ... D,   w a Kaiser window of 80 dB
    public func taps(sampleRateHertz: Int) -> [Float] {
        let delay = delaySamples(sampleRateHertz: sampleRateHertz)
        // Long enough to make the part of the unwindowed h that wraps around negligible.
        var length = 2
        while length < 8 * delay { length *= 2 }
        let gains = (0..<length).map { k in
            let hertz = Double(min(k, length - k)) * Double(sampleRateHertz) / Double(length)
            return Float(Double.pow(10, decibels(atHertz: hertz) / 20))
        }
        let response = ConvolutionWorkspace.transform(gains, length: length, scale: 1 / Float(length))
        let window = KaiserWindow(attenuationDecibels: 80)
        return (-delay...delay).map { n in response[abs(n)].x * Float(window(Double(n) / Double(delay + 1))) }
    }

    /// The filtered sound, as long as x and aligned with it: the filter's delay is removed.
    public func apply(to samples: [Float], sampleRateHertz: Int) -> [Float] {
        let filtered = convolve(samples, taps(sampleRateHertz: sampleRateHertz))
        return Array(filtered.dropFirst(delaySamples(sampleRateHertz: sampleRateHertz)).prefix(samples.count))
    }
}
