import EarshotDSP
import RealModule

/// Finds a sweep in a recording.
///
///     q[m] = p[m] / max(mean of p over m ± 1.5 s, mean of p over m − 0.25 s ... m),   both without m ± 5 ms
///
/// p is the envelope of the matched filter, see `SweepCorrelator`. The sweep is at the maximum of q, if that is 17 dB
/// or more, and the maximum of p within 60 ms of it is the strongest arrival. Noise reaches q at one of n independent
/// places with probability n·e^{−q}, 1e-15 for 17 dB and 10 minutes; tokens packed densely reach 13 to 17 dB in a
/// minute. A click, a tone or a burst is spread over a second and more; a sweep has no echo before it, so the stretch
/// just before it counts most. The first arrival is the first maximum of p up to 60 ms earlier that is at most 10 dB
/// weaker and itself 14 dB above the mean (1e-9 in noise). Places between samples come from a parabola through the
/// logarithms of three p.
package struct SweepDetector: Sendable {
    static let minimumQualityDecibels = 17.0
    static let guardSeconds = 0.005
    static let leadSeconds = 0.25
    static let echoSeconds = 0.06
    static let weakestFirstDecibels = -10.0
    static let minimumFirstQualityDecibels = 14.0
    /// The minimum deviation: errors of the parabola, and small clock differences.
    static let minimumDeviationSamples = 0.02

    /// The sweep to look for.
    package let sweep: Sweep

    /// A detector of one sweep.
    package init(_ sweep: Sweep) {
        self.sweep = sweep
    }

    /// The sweep in a recording at the sweep's sample rate, full scale 1; nil if the recording does not contain all of
    /// it.
    /// - Parameter range: the part to search, everything if nil; cut to the recording. A session with a sweep at each
    ///   end is searched in halves. The part must begin 25 ms before the sweep and be 0.11 s longer: without
    ///   surroundings there is no peak.
    package func detect(in recording: [Float], range: Range<Int>? = nil) -> SweepArrival? {
        let range = (range ?? 0..<recording.count).clamped(to: 0..<recording.count)
        var correlator = SweepCorrelator(sweep)
        let powers = correlator.envelopePowers(recording, in: range)
        let placesPerSecond = Double(sweep.sampleRateHertz) / Double(correlator.step)
        let surroundings = Surroundings(
            powers, minimumMean: minimumMean(recording[range]), reach: Int(Sweep.seconds * placesPerSecond),
            leadReach: Int(SweepDetector.leadSeconds * placesPerSecond),
            guardReach: Int(SweepDetector.guardSeconds * placesPerSecond))
        guard let loudest = surroundings.place(in: powers) else { return nil }
        let echoReach = Int(SweepDetector.echoSeconds * placesPerSecond)
        let near = max(loudest - echoReach, 0)...min(loudest + echoReach, powers.count - 1)
        guard let strongest = near.max(by: { powers[$0] < powers[$1] }) else { return nil }
        let mean = surroundings.mean(around: strongest)
        let quality = Double(powers[strongest]) / mean
        guard quality >= .pow(10, SweepDetector.minimumQualityDecibels / 10) else { return nil }

        let first = firstArrival(powers, before: strongest, reach: echoReach, mean: mean)
        func sample(_ place: Int) -> Double {
            Double(range.lowerBound) + Double(correlator.step) * (Double(place) + vertexOffset(powers, at: place))
        }
        return SweepArrival(
            firstSample: sample(first), strongestSample: sample(strongest),
            qualityDecibels: 10 * .log10(quality), deviationSamples: deviationSamples(quality: quality))
    }

    /// The rounding error of single precision, from the loudest sample, with 24 dB to spare: a sweep 128 dB below that sample is
    /// still found.
    private func minimumMean(_ samples: ArraySlice<Float>) -> Double {
        let peak = Double(samples.reduce(0) { max($0, abs($1.usable)) })
        return max(1e-15 * peak * peak, .leastNormalMagnitude)
    }

    private func firstArrival(_ powers: [Float], before strongest: Int, reach: Int, mean: Double) -> Int {
        let floor = max(
            Double(powers[strongest]) * .pow(10, SweepDetector.weakestFirstDecibels / 10),
            mean * .pow(10, SweepDetector.minimumFirstQualityDecibels / 10))
        let earlier = max(strongest - reach, 1)..<max(strongest, 1)
        return earlier.first { place in
            Double(powers[place]) >= floor && powers[place] >= powers[place - 1] && powers[place] >= powers[place + 1]
        } ?? strongest
    }

    /// The place of the top of the parabola through ln p, relative to `place`: −½ ... ½.
    private func vertexOffset(_ powers: [Float], at place: Int) -> Double {
        guard place > 0, place + 1 < powers.count else { return 0 }
        let before = Double.log(Double(max(powers[place - 1], .leastNormalMagnitude)))
        let here = Double.log(Double(max(powers[place], .leastNormalMagnitude)))
        let after = Double.log(Double(max(powers[place + 1], .leastNormalMagnitude)))
        return min(max(parabolicPeak(before, here, after), -0.5), 0.5)
    }

    /// The deviation of the envelope's top in noise, σ = √(M₄/(8π²·q))/(M₂·B) = 0.487/(B·√q): M₂ = ∫u²·h = 1/12 − 1/(2π²) and
    /// M₄ = ∫u²·h² = 0.0200, both over ∫ without u², for Hann's window h as the spectrum.
    private func deviationSamples(quality: Double) -> Double {
        let bandwidth = sweep.highestHertz - Sweep.lowestHertz
        let noise = 0.487 * Double(sweep.sampleRateHertz) / (bandwidth * quality.squareRoot())
        return max(noise, SweepDetector.minimumDeviationSamples)
    }
}

/// Means of the surroundings of a place, without the place itself.
private struct Surroundings {
    /// sums[m] = Σ p[0 ..< m].
    private let sums: [Double]
    private let reach: Int
    private let leadReach: Int
    private let guardReach: Int
    /// The minimum of a mean.
    private let minimumMean: Double

    init(_ powers: [Float], minimumMean: Double, reach: Int, leadReach: Int, guardReach: Int) {
        var sum = 0.0
        var sums = [0.0]
        sums.reserveCapacity(powers.count + 1)
        for power in powers {
            sum += Double(power)
            sums.append(sum)
        }
        self.sums = sums
        self.reach = reach
        self.leadReach = leadReach
        self.guardReach = guardReach
        self.minimumMean = minimumMean
    }

    /// The first place with 20 ms before it, which show whether it is a peak.
    private var firstPlace: Int { 5 * guardReach }

    /// The place with the greatest ratio; nil without sound, or without surroundings.
    func place(in powers: [Float]) -> Int? {
        var (best, bestQuality) = (nil as Int?, 0.0)
        // Surroundings of 20 guards: 0.1 s.
        guard powers.count >= 22 * guardReach else { return nil }
        for place in firstPlace..<powers.count where powers[place] > 0 {
            let quality = Double(powers[place]) / mean(around: place)
            if quality > bestQuality { (best, bestQuality) = (place, quality) }
        }
        return best
    }

    func mean(around place: Int) -> Double {
        let count = sums.count - 1
        let inner = max(place - guardReach, 0)..<min(place + guardReach + 1, count)
        let lead = max(place - leadReach, 0)..<inner.lowerBound
        let outer = max(place - reach, 0)..<min(place + reach + 1, count)
        let outerMean = (sum(outer) - sum(inner)) / Double(max(outer.count - inner.count, 1))
        let leadMean = lead.isEmpty ? 0 : sum(lead) / Double(lead.count)
        return max(outerMean, leadMean, minimumMean)
    }

    private func sum(_ places: Range<Int>) -> Double { sums[places.upperBound] - sums[places.lowerBound] }
}
