import EarshotModem
import RealModule

/// The reasons why a pair cannot be measured from a recording.
package enum PairError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The sweep has another sample rate than the recording.
    case sampleRatesDiffer(recordingHertz: Int, sweepHertz: Int)
    /// The recording does not contain the whole sweep.
    case sweepIncomplete(firstSample: Double, sampleCount: Int, recordedCount: Int)
    /// The quiet part is too short to show the noise.
    case quietTooShort(sampleCount: Int, neededCount: Int)

    /// The error, and what to do.
    package var description: String {
        switch self {
        case .sampleRatesDiffer(let recording, let sweep):
            "the recording has \(recording) Hz and the sweep \(sweep) Hz; make the sweep for the recording's rate"
        case .sweepIncomplete(let first, let count, let recorded):
            "a sweep of \(count) samples from sample \(first) on is not all in the \(recorded) samples recorded; "
                + "record longer"
        case .quietTooShort(let count, let needed):
            "the quiet part has \(count) samples and at least \(needed) are needed; record longer before the sweep"
        }
    }
}

/// Measures a pair from the recording of a sweep.
package enum PairMeasurement {
    /// The minimum noise power; below it is silence: −200 dBFS, 50 dB below the steps of 24 bits.
    static let minimumPower = 1e-20
    /// The minimum power of a response that can be distinguished from the noise, as a share of the noise in its bin.
    static let minimumNoiseShare = 0.25

    /// Measures the pair. Cost: 30 ms at 48 kHz.
    /// - Parameters:
    ///   - recording: full scale 1; samples that are not finite count as silence.
    ///   - sampleRateHertz: the rate of the recording and of the sweep.
    ///   - arrival: the sweep that `SweepDetector` found.
    ///   - quiet: a part of the recording without any signal, 40 ms at least and a second for good figures; cut to the recording.
    ///   - playedAtSample: the sample of the recording at which the sweep began to play.
    /// - Throws: `PairError` if the recording is not sufficient.
    package static func measure(
        recording: [Float], sampleRateHertz: Int, sweep: Sweep, arrival: SweepArrival, quiet: Range<Int>,
        playedAtSample: Double = 0
    ) throws(PairError) -> PairReport {
        guard sampleRateHertz == sweep.sampleRateHertz else {
            throw .sampleRatesDiffer(recordingHertz: sampleRateHertz, sweepHertz: sweep.sampleRateHertz)
        }
        // At most one sample of it may be missing.
        let end = Double(recording.count - sweep.samples.count) + 1
        guard (-1...max(end, -1)).contains(arrival.strongestSample), arrival.firstSample.isFinite, end >= 0 else {
            throw .sweepIncomplete(
                firstSample: arrival.strongestSample, sampleCount: sweep.samples.count, recordedCount: recording.count)
        }
        let quiet = quiet.clamped(to: recording.indices)
        let neededCount = PowerDensity.segmentCount(sampleRateHertz: sampleRateHertz)
        guard quiet.count >= neededCount else {
            throw .quietTooShort(sampleCount: quiet.count, neededCount: neededCount)
        }

        let noise = PowerDensity(recording, in: quiet, sampleRateHertz: sampleRateHertz)
        let edges = binEdges(sweep)
        let response = SweepResponse(recording, sweep: sweep, arrival: arrival, noise: noise, bins: edges)
        let bins = edges.indices.map { bin in
            let floor = max(minimumNoiseShare * response.noisePowers[bin], minimumPower)
            return PairReport.Bin(
                hertz: 0.5 * (edges[bin].lowerBound + edges[bin].upperBound),
                responseDecibels: decibels(max(response.powers[bin], floor)),
                noiseDensityDecibels: decibels(
                    fullScalePower(density: noise.mean(edges[bin]), hertz: 1, sampleRateHertz: sampleRateHertz)))
        }
        let profile = Profile.standard
        let (lowest, highest) = (profile.lowestHertz, profile.highestHertz)
        let noisePower = fullScalePower(
            density: noise.mean(lowest..<highest), hertz: highest - lowest, sampleRateHertz: sampleRateHertz)
        let bandBins = bins.indices.filter { (lowest..<highest).contains(bins[$0].hertz) }
        let meanPower = bandBins.reduce(0) { $0 + response.powers[$1] } / Double(bandBins.count)
        let start = Int(arrival.strongestSample)
        return PairReport(
            sampleRateHertz: sampleRateHertz, bins: bins,
            band: PairReport.Band(bandBins.map { bins[$0] }, meanPower: meanPower),
            noiseLevelDecibels: decibels(noisePower),
            clipping: Clipping(recording, in: start..<start + sweep.samples.count),
            cutOffHertz: CutOff.lastPassingBin(bins.map(\.responseDecibels)).map { edges[$0].upperBound },
            arrival: arrival, latencySamples: arrival.firstSample - playedAtSample,
            sentLevelDecibels: 20 * .log10(Double(sweep.amplitude)))
    }

    /// Bins of 50 Hz from 17 kHz on, as many as the sweep fills.
    private static func binEdges(_ sweep: Sweep) -> [Range<Double>] {
        let measured = sweep.measuredHertz
        let width = PairReport.Bin.widthHertz
        let count = Int((measured.upperBound - measured.lowerBound) / width)
        return (0..<count).map {
            measured.lowerBound + Double($0) * width..<measured.lowerBound + Double($0 + 1) * width
        }
    }

    /// The power in a bandwidth over that of a sine at full scale, ½: S of both signs of a frequency, F wide in all.
    private static func fullScalePower(density: Double, hertz: Double, sampleRateHertz: Int) -> Double {
        2 * (density * hertz * 2 / Double(sampleRateHertz))
    }

    private static func decibels(_ power: Double) -> Double {
        10 * .log10(max(power, minimumPower))
    }
}
