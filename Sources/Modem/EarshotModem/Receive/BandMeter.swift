import EarshotDSP
import RealModule

/// Measures the level in a receiver's band on request; the receive path does not depend on it.
///
///     P = mean over rows of Σ E[row][bin],   bin = the places of the 16 tones of the shortest symbols
///
/// with the energies of `ShortTimeSpectrum`: a sine of amplitude 1 in the band has P = 1, and noise its power in the band's
/// width; both are twice the mean square.
public final class BandMeter {
    private var spectrum: ShortTimeSpectrum
    private var row: [Float]
    private static let toneCount = 16

    /// A meter. One meter can serve any number of receivers.
    public init() {
        let symbol = 2 * BandMeter.toneCount
        spectrum = ShortTimeSpectrum(windowLength: symbol, hop: symbol, rowCount: 1, highestBin: BandMeter.toneCount)
        row = [Float](repeating: 0, count: spectrum.rowStride)
    }

    /// The level in the latest `seconds` of a receiver: 10·log₁₀ P, at least −150 dB.
    /// - Parameters:
    ///   - receiver: the receiver whose band is measured.
    ///   - seconds: the length of the measurement, at most 1.
    /// - Returns: the level of the loudest channel.
    public func bandDecibels(_ receiver: borrowing Receiver, seconds: Double) -> Double {
        var highest = -Double.infinity
        let sampleCount = Int(seconds * Double(receiver.input.clock.basebandRateHertz))
        for channel in receiver.input.heard.indices {
            highest = max(highest, bandDecibels(receiver.input.heard[channel], sampleCount))
        }
        return highest
    }

    private func bandDecibels(_ heard: BasebandHistory, _ sampleCount: Int) -> Double {
        let window = spectrum.windowLength
        let rowCount = max(1, min(sampleCount, heard.keptSampleCount) / window)
        var power = 0.0
        for index in 0..<rowCount {
            heard.withSamples(from: heard.endIndex - (index + 1) * window, count: window) { samples in
                spectrum.process(samples, into: &row, from: 0)
            }
            for tone in 0..<BandMeter.toneCount {
                power += Double(row[BandMeter.toneCount + 2 * tone - (BandMeter.toneCount - 1)])
            }
        }
        return 10 * .log10(max(power / Double(rowCount), 1e-15))
    }
}
