import EarshotDSP
import EarshotModem
import RealModule

/// The distance between two sweeps in a recording, independent of the room, which affects both in the same way.
///
///     c[k] = Σₙ b[n + k]·conj(a[n]),   the spacing is the k of the maximum |c|
///
/// a and b are the two recordings in complex baseband. Noise may change which of several strong echoes is the strongest; it
/// does not move the best fit of one whole recording over the other. Cost: 60 ms at any rate.
struct SweepSpacing {
    private static let basebandRateHertz = 8_000
    /// Seconds of recording before and after the strongest arrival.
    private static let echoSeconds = 0.06
    /// Seconds by which the spacing may differ from that of the arrivals, which may be different echoes.
    private static let reachSeconds = 0.12
    /// Taps on either side for interpolating c, and steps from one sample of c to the next.
    private static let tapCount = 16
    private static let stepCount = 16

    private let a: [ComplexSample]
    private let b: [ComplexSample]
    /// Samples from the beginning of a to that of b, where k = 0.
    private let origin: Double
    private let samplesPerLag: Double

    /// - Parameters:
    ///   - first, last: recordings of the sweeps.
    ///   - firstStart, lastStart: the sample of `first` at which the first sweep begins, and of `last`.
    init(_ sweep: Sweep, first: [Float], firstStart: Int, last: [Float], lastStart: Int) {
        let rate = Double(sweep.sampleRateHertz)
        let echo = Int(Self.echoSeconds * rate)
        let reach = Int(Self.reachSeconds * rate)
        let centreHertz = Int(sweep.highestHertz + Sweep.lowestHertz) / 2
        let design = Downconverter.Design(
            inputRateHertz: sweep.sampleRateHertz, outputRateHertz: Self.basebandRateHertz, centreHertz: centreHertz,
            passbandHertz: sweep.highestHertz - Double(centreHertz))
        let firstRange = firstStart - echo..<firstStart + sweep.samples.count + echo
        let lastRange = lastStart - echo - reach..<lastStart + sweep.samples.count + echo + reach
        a = Self.baseband(design, first, firstRange)
        b = Self.baseband(design, last, lastRange)
        origin = Double(lastRange.lowerBound - firstRange.lowerBound)
        samplesPerLag = rate / Double(Self.basebandRateHertz)
    }

    /// The distance from the first sweep in `first` to the last one in `last`, in samples between those two indices.
    func samples() -> Double {
        let correlation = (0...max(b.count - a.count, 0)).map { correlate(lag: $0) }
        let powers = correlation.map { $0.power }
        guard let loudest = powers.indices.max(by: { powers[$0] < powers[$1] }) else { return origin }
        let fine = (-Self.stepCount...Self.stepCount).map { step in
            interpolatedPower(correlation, at: Double(loudest) + Double(step) / Double(Self.stepCount))
        }
        guard let top = fine.indices.dropFirst().dropLast().max(by: { fine[$0] < fine[$1] }) else { return origin }
        let vertex = parabolicPeak(fine[top - 1], fine[top], fine[top + 1])
        let lag = Double(loudest) + (Double(top) + vertex) / Double(Self.stepCount) - 1
        return origin + lag * samplesPerLag
    }

    private func correlate(lag: Int) -> ComplexSample {
        let (a, b) = (a.span, b.span)
        var sum = ComplexSample()
        for n in a.indices { sum += b[n + lag].times(a[n].conjugate) }
        return sum
    }

    /// |c|² between its samples, by a windowed sinc.
    private func interpolatedPower(_ correlation: [ComplexSample], at lag: Double) -> Double {
        let window = KaiserWindow(attenuationDecibels: 60)
        let nearest = Int(lag.rounded())
        var (real, imaginary) = (0.0, 0.0)
        for index in max(nearest - Self.tapCount, 0)...min(nearest + Self.tapCount, correlation.count - 1) {
            let u = lag - Double(index)
            let sinc = u == 0 ? 1 : Double.sin(.pi * u) / (.pi * u)
            let weight = sinc * window(u / Double(Self.tapCount + 1))
            real += weight * Double(correlation[index].x)
            imaginary += weight * Double(correlation[index].y)
        }
        return real * real + imaginary * imaginary
    }

    private static func baseband(
        _ design: Downconverter.Design, _ samples: [Float], _ range: Range<Int>
    ) -> [ComplexSample] {
        var downconverter = Downconverter(design)
        var converted = [ComplexSample](repeating: ComplexSample(), count: downconverter.maximumOutputCount)
        var baseband: [ComplexSample] = []
        // Zeros before and after the recording.
        let padded = range.map { samples.indices.contains($0) ? samples[$0] : 0 }
        var first = 0
        while first < padded.count {
            let count = min(Downconverter.maximumInputCount, padded.count - first)
            let produced = downconverter.process(padded.span.extracting(first..<first + count), into: &converted)
            baseband += converted[..<produced]
            first += count
        }
        return baseband
    }
}
