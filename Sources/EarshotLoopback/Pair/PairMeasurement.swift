import EarshotModem
import RealModule

/// Why a pair cannot be measured from a recording.
package enum PairError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The sweep is of another sample rate than the recording.
    case sampleRatesDiffer(recordingHertz: Int, sweepHertz: Int)
    /// The sweep is not all in the recording.
    case sweepIncomplete(firstSample: Double, sampleCount: Int, recordedCount: Int)
    /// The part that shows the noise is too short to show it.
    case quietTooShort(sampleCount: Int, neededCount: Int)

    /// What is wrong and what would work.
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

/// From a recording of a sweep to what the pair did to it.
package enum PairMeasurement {
    /// Noise power below this is silence: −200 dBFS, 50 dB below the steps of 24 bits.
    static let leastPower = 1e-20
    /// Of what noise adds to a bin this share is the least that can be told from it.
    static let leastNoiseShare = 0.25

    /// Measures the pair. Cost: 30 ms at 48 kHz.
    /// - Parameters:
    ///   - recording: full scale 1; what is not finite counts as silence.
    ///   - sampleRateHertz: the recording's, which the sweep was made for.
    ///   - arrival: where `SweepDetector` found the sweep.
    ///   - quiet: a part of the recording without any signal, 40 ms at least and a second for good figures; cut to what
    ///     was recorded.
    ///   - playedAtSample: the sample of the recording that was recorded when the sweep began to play.
    /// - Throws: `PairError` where the recording has not what is needed.
    package static func measure(
        recording: [Float], sampleRateHertz: Int, sweep: Sweep, arrival: SweepArrival, quiet: Range<Int>,
        playedAtSample: Double = 0
    ) throws(PairError) -> PairReport {
        guard sampleRateHertz == sweep.sampleRateHertz else {
            throw .sampleRatesDiffer(recordingHertz: sampleRateHertz, sweepHertz: sweep.sampleRateHertz)
        }
        // Not more than a sample of it may be missing.
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
            let least = max(leastNoiseShare * response.noisePowers[bin], leastPower)
            return PairReport.Bin(
                hertz: 0.5 * (edges[bin].lowerBound + edges[bin].upperBound),
                responseDecibels: decibels(max(response.powers[bin], least)),
                noiseDensityDecibels: decibels(
                    fullScalePower(density: noise.mean(edges[bin]), hertz: 1, sampleRateHertz: sampleRateHertz)))
        }
        let profile = Profile.standard
        let (lowest, highest) = (Double(profile.lowestHertz), Double(profile.highestHertz))
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
        10 * .log10(max(power, leastPower))
    }
}
