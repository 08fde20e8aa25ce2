package import EarshotModem
import RealModule

/// The effects of a loudspeaker, a microphone and the air between them on 17 kHz and above.
///
/// Levels are in dBFS: a sine whose peak is full scale has 0, noise of the same power too.
package struct PairReport: Sendable, Equatable {
    /// A part of the spectrum, 50 Hz wide.
    package struct Bin: Sendable, Equatable {
        /// The width of a bin.
        package static let widthHertz = 50.0

        /// The frequency of its middle.
        package var hertz: Double
        /// Received over sent, in decibels. If less arrived than can be distinguished from the noise, the maximum level
        /// that may have arrived.
        package var responseDecibels: Double
        /// The noise's density, in dBFS in 1 Hz.
        package var noiseDensityDecibels: Double
    }

    /// The response over the band of the modem.
    package struct Band: Sendable, Equatable {
        /// The mean power, in decibels.
        package var meanDecibels: Double
        /// The mean of the decibels, in which lost bins count as just lost. It determines a token's SNR if tones
        /// differ.
        package var effectiveDecibels: Double
        /// The level below which tones are lost, see `lostTones`.
        package var lostBelowDecibels: Double
        /// The level of the worst bin.
        package var worstDecibels: Double
        /// The frequency of the worst bin.
        package var worstHertz: Double
        /// The difference of the best and the worst bin, in decibels.
        package var rippleDecibels: Double
        /// What the differences of the tones cost, in decibels.
        var unevennessDecibels: Double { meanDecibels - effectiveDecibels }

        /// The response over some bins, at least one. The mean power comes from values that are not limited to the
        /// noise.
        init(_ bins: [Bin], meanPower: Double) {
            let sorted = bins.sorted { $0.responseDecibels < $1.responseDecibels }
            let (worst, best) = (sorted[0], sorted[sorted.count - 1])
            let count = Double(bins.count)
            // The quartile, because half of the band may be lost; but not far below the best bin, because more may be
            // lost.
            let strong = max(sorted[sorted.count * 3 / 4].responseDecibels, best.responseDecibels - 10)
            let lostBelow = strong - PairReport.lostToneDecibels
            meanDecibels = 10 * .log10(max(meanPower, PairMeasurement.minimumPower))
            effectiveDecibels = bins.reduce(0) { $0 + max($1.responseDecibels, lostBelow) } / count
            lostBelowDecibels = lostBelow
            worstDecibels = worst.responseDecibels
            worstHertz = worst.hertz
            rippleDecibels = best.responseDecibels - worst.responseDecibels
        }
    }

    /// The sample rate in hertz.
    package var sampleRateHertz: Int
    /// The response and the noise from 17 kHz to the sweep's end, lowest first.
    package var bins: [Bin]
    /// The response over 18.5 to 20 kHz.
    package var band: Band
    /// The total noise in 18.5 to 20 kHz.
    package var noiseLevelDecibels: Double
    /// Signs that the sweep was too loud.
    package var clipping: Clipping
    /// The edge above which nothing passes, in hertz; nil if all measured frequencies pass.
    package var cutOffHertz: Double?
    /// The sweep's place in the recording.
    package var arrival: SweepArrival
    /// Samples from the start of playback to the first arrival.
    package var latencySamples: Double
    /// The level at which the sweep was played, in dBFS.
    package var sentLevelDecibels: Double

    /// The noise's mean density in the band, in dBFS in 1 Hz.
    package var noiseDensityDecibels: Double {
        noiseLevelDecibels - 10 * .log10(Profile.standard.bandwidthHertz)
    }
    /// The level at which the sweep arrived, in dBFS, the mean over the band.
    package var receivedLevelDecibels: Double { sentLevelDecibels + band.meanDecibels }

    /// The SNR that a receiver will report for a token played at a level: the power of a sine at the token's peak over the noise in
    /// 1,500 Hz, as received, the mean over the band.
    package func expectedSNRDecibels(sentLevelDecibels: Double) -> Double {
        sentLevelDecibels + band.meanDecibels - noiseLevelDecibels
    }

    /// The SNR at which the same share of tokens would decode on a path without ripple. The decoder adds logarithms
    /// over the tones, so the mean in decibels counts; a tone 15 dB down or more counts as missing. For falls of up to 30 dB and
    /// edges from 19.4 kHz up, 90 % decode from 2.4 dB less to 0.2 dB more than this predicts (docs/loopback.md).
    package func effectiveSNRDecibels(sentLevelDecibels: Double) -> Double {
        sentLevelDecibels + band.effectiveDecibels - noiseLevelDecibels
    }

    /// The lost tones of a profile: those 15 dB or more below the upper quartile of the band.
    package func lostTones(_ profile: Profile) -> [Int] {
        (0..<profile.toneCount).filter { responseDecibels(at: profile.toneHertz($0)) <= band.lostBelowDecibels }
    }

    /// See `lostTones`.
    package static let lostToneDecibels = 15.0

    /// The response at a frequency, interpolated linearly between the middles of bins.
    private func responseDecibels(at hertz: Double) -> Double {
        guard let first = bins.first, let last = bins.last else { return -.infinity }
        let place = min(max((hertz - first.hertz) / Bin.widthHertz, 0), (last.hertz - first.hertz) / Bin.widthHertz)
        let index = min(Int(place), bins.count - 1)
        let next = min(index + 1, bins.count - 1)
        let share = place - Double(index)
        return bins[index].responseDecibels * (1 - share) + bins[next].responseDecibels * share
    }
}
