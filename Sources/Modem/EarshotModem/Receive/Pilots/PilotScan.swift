import EarshotDSP
import RealModule

/// Finds places in the baseband where a tone may sound all the time, by a short spectrum every 85 ms with Hann's window
/// over 21 ms.
///
///     l[bin] = log₂ E[bin] − mean over the band's bins of log₂ E
///
/// A tone beside the band is just as harmful: the symbols' windows are rectangular, and a tone 50 dB above the signal
/// leaks into all of the band. The baseband contains it at its frequency up to 1,500 Hz from the band's centre, and
/// folded up to 2,060 Hz.
///
/// Noise alone lifts the minimum of three consecutive values above 10 dB about once in ten hours: l is 2.5 dB more than
/// the level over noise's mean, and e^(−3·10^0.75) of 40 bins 12 times a second is 3·10⁻⁵; beside the band the
/// converter's filter reduces the noise. Cost: 4 µs a second of baseband. No allocation after `init`.
struct PilotScan: ~Copyable {
    /// A loud bin and its frequency.
    struct Place {
        fileprivate var bin: Int
        var cyclesPerSample: Double { Double(bin - PilotScan.binCount / 2) / Double(PilotScan.windowLength) }
    }

    private static let interval = 256
    private static let windowLength = 64
    private static let rowCount = 3
    private static let span = (rowCount - 1) * interval + windowLength
    /// All bins, of 46.9 Hz; the middle one is the band's centre.
    private static let binCount = windowLength
    /// Bins −20 ..< 20 from the centre: the band including offsets.
    private static let bandBins = binCount / 2 - 20..<binCount / 2 + 20
    /// 10 dB, in bits.
    private static let minimumBits: Float = 3.32
    /// 13 dB, in bits. Of 200,000 spectra of noise 0.47 % have such a bin: three a minute.
    private static let loudBits: Float = 4.32
    /// A window counts as even above this share of the mean power, and a place needs this share of even windows. A tone
    /// has only even windows; two equal tones beat, and 2·cos² is below 1/8 for 16 % of the time. A loud frame's tones
    /// splatter from time to time: most windows have far less than the mean.
    private static let minimumEvenPower: Float = 1 / 8
    private static let minimumEvenShare: Float = 0.7

    private var transform = FFTPlan(length: windowLength, hasInverse: false)
    private let window: [Float]
    /// e^{−j2πn/64}.
    private let phasors: [ComplexSample]
    private var rows = [Float](repeating: 0, count: rowCount * binCount)
    private var minima = [Float](repeating: 0, count: binCount)
    private var rowsMade = 0

    init() {
        let length = PilotScan.windowLength
        window = hannWindow(count: length).map { Float($0) }
        phasors = (0..<length).map { unitPhasor(turns: -Double($0) / Double(length)) }
    }

    /// Whether a spectrum ends at the end of the history; the first one covers the input's first samples.
    static func isDue(_ history: BasebandHistory) -> Bool {
        history.endIndex % interval == windowLength
    }

    /// The next end index of the history after `index` at which a spectrum ends.
    static func nextIndex(after index: Int) -> Int {
        index + interval - (index + interval - windowLength) % interval
    }

    /// Forgets the rows, because they do not adjoin those that follow.
    mutating func forget() {
        rowsMade = 0
    }

    /// Takes the latest spectrum.
    /// - Returns: whether there are three spectra without a hole among them.
    mutating func look(_ history: BasebandHistory) -> Bool {
        makeRow(history, endIndex: history.endIndex)
        guard rowsMade >= PilotScan.rowCount, history.endIndex - PilotScan.span >= history.lostEndIndex
        else { return false }
        findMinima()
        return true
    }

    /// Takes the latest three spectra again, after the history has changed.
    mutating func lookAgain(_ history: BasebandHistory) {
        for age in (0..<PilotScan.rowCount).reversed() {
            makeRow(history, endIndex: history.endIndex - age * PilotScan.interval)
        }
        findMinima()
    }

    /// Whether the latest spectrum or the previous one has a bin 13 dB above the mean: rarely noise, often a frame or a
    /// sweep.
    var hasLoudBin: Bool {
        let length = PilotScan.binCount
        let latest = (rowsMade + PilotScan.rowCount - 1) % PilotScan.rowCount
        let before = (latest + PilotScan.rowCount - 1) % PilotScan.rowCount
        for bin in 0..<length {
            if max(rows[latest * length + bin], rows[before * length + bin]) > PilotScan.loudBits { return true }
        }
        return false
    }

    /// The bin with the maximum of the minima, if that is above 10 dB.
    func loudest() -> Place? {
        var loudest: Place?
        var bits = PilotScan.minimumBits
        for bin in minima.indices where minima[bin] > bits {
            (loudest, bits) = (Place(bin: bin), minima[bin])
        }
        return loudest
    }

    /// Whether a place is loud all the time: the power in its bin, in windows that overlap by half. It costs a fortieth
    /// of `PilotEstimator`, which otherwise would examine most loud frames.
    /// - Parameter x: the stretch to examine; shape [a multiple of 32].
    func isEven(_ place: Place, _ x: Span<ComplexSample>) -> Bool {
        let length = PilotScan.windowLength
        let bin = place.bin - PilotScan.binCount / 2 + length
        let windowCount = 2 * x.count / length - 1
        var powers = InlineArray<64, Float>(repeating: 0)
        var mean: Float = 0
        for index in 0..<windowCount {
            var sum = ComplexSample()
            for n in 0..<length {
                sum += window[n] * x[index * length / 2 + n].times(phasors[bin * n % length])
            }
            powers[index] = sum.power
            mean += sum.power / Float(windowCount)
        }
        var evenCount: Float = 0
        for index in 0..<windowCount where powers[index] >= PilotScan.minimumEvenPower * mean {
            evenCount += 1
        }
        return evenCount >= PilotScan.minimumEvenShare * Float(windowCount)
    }

    /// Excludes a place and its neighbours until the next spectrum.
    mutating func passOver(_ place: Place) {
        for bin in max(place.bin - 1, 0)...min(place.bin + 1, PilotScan.binCount - 1) {
            minima[bin] = 0
        }
    }

    private mutating func findMinima() {
        let binCount = PilotScan.binCount
        for bin in 0..<binCount {
            minima[bin] = min(rows[bin], min(rows[binCount + bin], rows[2 * binCount + bin]))
        }
    }

    private mutating func makeRow(_ history: BasebandHistory, endIndex: Int) {
        let first = rowsMade % PilotScan.rowCount * PilotScan.binCount
        rowsMade += 1
        let length = PilotScan.windowLength
        history.withSamples(from: endIndex - length, count: length) {
            PilotScan.fill(&transform, $0, window)
        }
        transform.forward()
        PilotScan.writeRow(transform, into: &rows, from: first)
    }

    private static func fill(_ transform: inout FFTPlan, _ samples: Span<ComplexSample>, _ window: [Float]) {
        let window = window.span
        transform.withMutableSamples { input in
            for n in window.indices {
                input[n] = window[n] * samples[n]
            }
        }
    }

    /// l of the transform's output.
    private static func writeRow(_ transform: borrowing FFTPlan, into rows: inout [Float], from first: Int) {
        let (length, binCount) = (PilotScan.windowLength, PilotScan.binCount)
        var all = rows.mutableSpan
        var row = all._mutatingExtracting(first..<first + binCount)
        transform.withSpectrum { spectrum in
            for bin in 0..<binCount / 2 {
                row[bin] = fastLog2(spectrum[length - binCount / 2 + bin].power + NoiseFloor.minimumPower)
                row[binCount / 2 + bin] = fastLog2(spectrum[bin].power + NoiseFloor.minimumPower)
            }
        }
        var sum: Float = 0
        for bin in bandBins {
            sum += row[bin]
        }
        let mean = sum / Float(bandBins.count)
        for bin in row.indices {
            row[bin] -= mean
        }
    }
}
