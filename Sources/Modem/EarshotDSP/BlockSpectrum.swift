import CEarshotKernels
import RealModule

/// The energies of `ShortTimeSpectrum` for a block of 32 rows that overlap by three quarters, bin by bin.
///
///     E[bin][row],   row = 0 ..< 32, hop H = N/4, bin = −B ... B from the first element on
///
/// Rows are contiguous in memory, so that one vector instruction processes up to sixteen of them. Each quarter of a
/// window is used by four rows: the first stage of the transform is over the quarters. Tones are half a spacing beside
/// the transform's points, which turns the quarters by an odd eighth and costs no further multiplication.
///
/// Cost: 13 µs for a second of all three profiles with AVX-512, 15 with AVX2. No allocation after `init`.
public struct BlockSpectrum: ~Copyable {
    /// The number of rows in a block.
    public static let rowCount = Int(EARSHOT_BLOCK_ROW_COUNT)

    /// The window length N, in samples: 32, 64 or 128.
    public let windowLength: Int
    /// B: the highest bin on either side of zero, at most N − 12. A bin is half a tone spacing wide, rate/(2N).
    public let highestBin: Int

    private let form: KernelForm
    private let spectrogram: earshot_spectrogram
    /// The factors of the transform's later stages; see `earshot_block_energies`.
    private let turns: [ComplexSample]

    /// Computes the factors; see the properties of the same names.
    public init(windowLength: Int, highestBin: Int) {
        self.init(windowLength: windowLength, highestBin: highestBin, form: .best)
    }

    /// The same with kernels of one form.
    package init(windowLength: Int, highestBin: Int, form: KernelForm) {
        precondition([32, 64, 128].contains(windowLength), "a window of \(windowLength) samples")
        precondition((0...windowLength - 12).contains(highestBin), "bin \(highestBin) of \(2 * windowLength)")
        self.windowLength = windowLength
        self.highestBin = highestBin
        self.form = form
        // The third bin below −B, an odd one, is the first point.
        let lowestBin = -2 * ((highestBin + 1) / 2) - 3
        let firstPoint = ((1 - lowestBin) / 2) % 4
        turns = BlockSpectrum.turns(windowLength: windowLength, lowestBin: lowestBin)
        spectrogram = earshot_spectrogram(
            window: windowLength, bin_count: 2 * highestBin + 1, is_tone_first: highestBin % 2 != 0 ? 1 : 0,
            first_point: firstPoint, near: ShortTimeSpectrum.near, far: ShortTimeSpectrum.far,
            scale: 1 / Float(windowLength * windowLength))
    }

    /// The factors of the transform's later stages; see `earshot_block_energies`.
    /// - Parameter lowestBin: L, the half spacing of the first point; odd.
    static func turns(windowLength: Int, lowestBin: Int) -> [ComplexSample] {
        let quarter = windowLength / 4
        let firstPoint = ((1 - lowestBin) / 2) % 4
        let outer = (0..<4).flatMap { slot in
            (0..<quarter).map { place in
                let bin = 2 * ((firstPoint + slot) % 4) + lowestBin
                return unitPhasor(turns: -Double(place * bin) / Double(2 * windowLength))
            }
        }
        let inner = (0..<quarter / 8).flatMap { point in
            (0..<8).map { place in unitPhasor(turns: -Double(point * place) / Double(quarter)) }
        }
        return outer + inner
    }

    /// The hop H from one window to the next, in samples.
    public var hop: Int { windowLength / 4 }
    /// The number of bins, 2B + 1.
    public var binCount: Int { 2 * highestBin + 1 }
    /// The number of baseband samples that a block takes: 35·H.
    public var inputCount: Int { (BlockSpectrum.rowCount + 3) * hop }

    /// Computes the energies of a block.
    /// - Parameters:
    ///   - x: baseband from the start of the first row on; shape [inputCount].
    ///   - energies: receives E; shape [binCount][rowCount].
    public borrowing func process(_ x: Span<ComplexSample>, into energies: inout [Float]) {
        precondition(x.count == inputCount, "\(x.count) samples, not \(inputCount)")
        precondition(
            energies.count >= binCount * BlockSpectrum.rowCount, "\(binCount) bins, room for \(energies.count)")
        let (turns, number) = (turns, form.number)
        withUnsafePointer(to: spectrogram) { spectrogram in
            turns.withUnsafeBufferPointer { turns in
                x.withUnsafeBufferPointer { x in
                    energies.withUnsafeMutableBufferPointer { energies in
                        earshot_block_energies(
                            number, spectrogram, turns.baseAddress!.pairs, x.baseAddress!.pairs,
                            energies.baseAddress!)
                    }
                }
            }
        }
    }
}
