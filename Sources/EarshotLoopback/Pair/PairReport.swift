public import EarshotModem
import RealModule

/// What a loudspeaker, a microphone and the air between them do to 17 kHz and above.
///
/// Levels are in dBFS: a sine whose peak is full scale has 0, noise of the same power too.
public struct PairReport: Sendable, Equatable {
    /// A part of the spectrum, 50 Hz wide.
    public struct Bin: Sendable, Equatable {
        /// The width of a bin.
        public static let widthHertz = 50.0

        /// Its middle.
        public var hertz: Double
        /// Received over sent. Where less arrived than could be told from the noise, the level that could have been.
        public var responseDecibels: Double
        /// The noise's density, in dBFS in 1 Hz.
        public var noiseDensityDecibels: Double
    }

    /// The response over the band of the modem.
    public struct Band: Sendable, Equatable {
        /// Of the mean power.
        public var meanDecibels: Double
        /// Of half the bins, at most.
        public var medianDecibels: Double
        /// Of the worst bin.
        public var worstDecibels: Double
        /// Where that is.
        public var worstHertz: Double
        /// From the worst bin to the best.
        public var rippleDecibels: Double
    }

    /// Samples a second.
    public var sampleRateHertz: Int
    /// The response and the noise from 17 kHz to the sweep's end, lowest first.
    public var bins: [Bin]
    /// The response over 18.5 to 20 kHz.
    public var band: Band
    /// The noise in 18.5 to 20 kHz, all of it.
    public var noiseLevelDecibels: Double
    /// Whether the sweep was too loud.
    public var clipping: Clipping
    /// The edge above which nothing passes, nil if all that was measured does.
    public var cutOffHertz: Double?
    /// Where the sweep was.
    public var arrival: SweepArrival
    /// From where it was played to where it first arrived; samples.
    public var latencySamples: Double
    /// The level at which the sweep was played.
    public var sentLevelDecibels: Double

    /// The noise's mean density in the band, in dBFS in 1 Hz.
    public var noiseDensityDecibels: Double {
        noiseLevelDecibels - 10 * .log10(Double(Profile.standard.bandwidthHertz))
    }
    /// The level at which the sweep arrived, on the average over the band.
    public var receivedLevelDecibels: Double { sentLevelDecibels + band.meanDecibels }

    /// What a receiver will report of a token played at a level: the power of a sine at the token's peak over the noise in
    /// 1,500 Hz, as received. It is the mean over the band; how much single tones differ from it is another matter.
    public func expectedSNRDecibels(sentLevelDecibels: Double) -> Double {
        sentLevelDecibels + band.meanDecibels - noiseLevelDecibels
    }

    /// The tones of a profile that arrive more than 10 dB weaker than the mean: they carry next to nothing.
    public func lostTones(_ profile: Profile) -> [Int] {
        (0..<profile.toneCount).filter { tone in
            responseDecibels(at: profile.toneHertz(tone)) < band.meanDecibels - PairReport.lostToneDecibels
        }
    }

    /// See `lostTones`.
    public static let lostToneDecibels = 10.0

    /// The response at a frequency, between the middles of bins on a straight line.
    private func responseDecibels(at hertz: Double) -> Double {
        guard let first = bins.first, let last = bins.last else { return -.infinity }
        let place = min(max((hertz - first.hertz) / Bin.widthHertz, 0), (last.hertz - first.hertz) / Bin.widthHertz)
        let index = min(Int(place), bins.count - 1)
        let next = min(index + 1, bins.count - 1)
        let share = place - Double(index)
        return bins[index].responseDecibels * (1 - share) + bins[next].responseDecibels * share
    }
}
