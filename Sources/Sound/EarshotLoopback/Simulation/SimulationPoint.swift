import EarshotModem
import RealModule

/// The results of a simulation at one signal-to-noise ratio.
package struct SimulationPoint: Sendable {
    /// The power of a sine at the signal's peak over the noise in 1,500 Hz.
    package let snrDecibels: Double
    /// The trials, counted.
    package let tally: AirTally

    /// The share of frames decoded, 0 ... 1.
    package var decodedShare: Double { tally.decodedShare }

    /// The 95 % interval of the share.
    package var interval: BinomialInterval {
        BinomialInterval(successCount: tally.decodedCount, trialCount: tally.sentCount)
    }

    /// The count in the form for `CurveCrossing`.
    package var crossingPoint: CurveCrossing.Point {
        CurveCrossing.Point(snrDecibels: snrDecibels, successCount: tally.decodedCount, trialCount: tally.sentCount)
    }
}

extension AirScene {
    /// Eb/N0 of a signal-to-noise ratio, sync tones included:
    ///
    ///     Eb/N0 = SNR + 10·log₁₀(1500·n·T_frame / payload bits)
    ///
    /// with n frames in a burst.
    package func bitEnergyDecibels(snrDecibels: Double) -> Double {
        let frameSeconds = profile.frameSeconds(payloadByteCount: payloadByteCount)
        return snrDecibels + 10 * .log10(1_500 * Double(burstCount) * frameSeconds / Double(8 * payloadByteCount))
    }
}
