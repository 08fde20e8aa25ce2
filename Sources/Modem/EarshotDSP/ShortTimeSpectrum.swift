import CEarshotKernels
import RealModule

/// Energies over time and frequency, by half tone spacings: short Fourier transforms of complex baseband.
///
///     X[row](f) = 1/N · Σₙ x[row·H + n]·e^{−j2πfn/N},   n = 0 ..< N
///     E[row][2i + 1] = |X(i + ½)|²
///     E[row][2i] = |a·(X(i − ½) − X(i + ½)) + b·(X(i − 1½) − X(i + 1½))|²,   (a, b) ∝ (1, ⅓), a² + b² = ½
///
/// for bins −B ... B. N is the length of the window (rectangular: the filter matched to a tone of N samples), H the
/// hop. Tones are at odd bins, half a spacing beside the band's middle, where E is exact: a tone of amplitude 1 has E =
/// 1. At even bins four neighbours approximate a transform of twice the length: a tone there has E = 0.90 (−0.45 dB),
/// and noise has the same mean as at odd bins. Rows are `rowStride` apart. Cost: one FFT of N points a row.
public struct ShortTimeSpectrum: ~Copyable {
    /// The window length N, in samples.
    public let windowLength: Int
    /// The hop H from one window to the next, in samples.
    public let hop: Int
    /// The number of rows that each call of `process` computes.
    public let rowCount: Int
    /// B: the highest bin on either side of zero, at most N − 12. A bin is half a tone spacing wide, rate/(2N).
    public let highestBin: Int
    /// The distance from row to row: 2B + 1 rounded up to a multiple of sixteen. Elements after bin B are finite, without
    /// meaning.
    public let rowStride: Int

    /// A phasor that moves the odd bins to points of the transform, the third below −B to the first.
    private let mixer: [ComplexSample]
    private var transform: FFTPlan

    /// Plans the transforms; see the properties of the same names.
    public init(windowLength: Int, hop: Int, rowCount: Int, highestBin: Int) {
        let rowStride = (2 * highestBin + 16) / 16 * 16
        precondition(rowStride / 2 + 4 <= windowLength, "bin \(highestBin) of \(2 * windowLength)")
        self.windowLength = windowLength
        self.hop = hop
        self.rowCount = rowCount
        self.highestBin = highestBin
        self.rowStride = rowStride
        transform = FFTPlan(length: windowLength, batchCount: rowCount, inputDistance: hop)
        let lowestBin = -2 * ((highestBin + 1) / 2) - 3
        mixer = (0..<windowLength + (rowCount - 1) * hop).map { n in
            let angle = Double.pi * Double(lowestBin * n % (2 * windowLength)) / Double(windowLength)
            return ComplexSample(Float(Double.cos(angle)), Float(-Double.sin(angle)))
        }
    }

    /// The number of baseband samples that one call of `process` takes: N + (rowCount − 1)·H.
    public var inputCount: Int { windowLength + (rowCount - 1) * hop }

    /// Computes `rowCount` rows.
    /// - Parameters:
    ///   - x: baseband from the start of the first row on; shape [inputCount].
    ///   - rows: receives E from element `first` on; shape [rowCount][rowStride].
    ///   - first: the index of the first energy written.
    public mutating func process(_ x: Span<ComplexSample>, into rows: inout [Float], from first: Int) {
        precondition(x.count == inputCount, "\(x.count) samples, not \(inputCount)")
        precondition(
            first >= 0 && first + rowCount * rowStride <= rows.count,
            "\(rowCount) rows of \(rowStride) from \(first) on, room for \(rows.count)")
        let mixer = mixer
        transform.withMutableSamples { input in
            x.withUnsafeBufferPointer { x in
                mixer.withUnsafeBufferPointer { mixer in
                    input.withUnsafeMutableBufferPointer { input in
                        earshot_complex_products(
                            x.baseAddress!.pairs, mixer.baseAddress!.pairs, x.count, input.baseAddress!.pairs)
                    }
                }
            }
        }
        transform.forward()
        let (length, rowCount, pairCount, isToneFirst) = (windowLength, rowCount, rowStride / 2, highestBin % 2 != 0)
        transform.withSpectrum { points in
            points.withUnsafeBufferPointer { points in
                rows.withUnsafeMutableBufferPointer { rows in
                    earshot_half_spacing_powers(
                        points.baseAddress!.pairs, length, rowCount, pairCount, 1 / Float(length * length),
                        ShortTimeSpectrum.near, ShortTimeSpectrum.far, isToneFirst ? 1 : 0, rows.baseAddress! + first)
                }
            }
        }
    }

    /// a and b, in the ratio in which a tone half way between two bins appears in its neighbours: sin(πd)/(πd) at d = ½
    /// and 1½. Their squares add up to ½, so that noise keeps its mean.
    static let near: Float = 0.670_820_4
    static let far: Float = 0.223_606_8
}
