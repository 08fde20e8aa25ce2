/// Energies over time and frequency: short Fourier transforms of complex baseband, with zero padding by two.
///
///     E[row][bin] = |1/N · Σₙ x[row·H + n]·e^{−j2π·bin·n/(2N)}|²,   n = 0 ..< N,   bin = −B ... B
///
/// N is the window (rectangular: the filter matched to a tone of N samples), H the hop. A tone of amplitude 1 has E = 1
/// at its place. Rows are `rowStride` apart. Cost: one FFT of 2N points a row.
public struct ShortTimeSpectrum: ~Copyable {
    /// N.
    public let windowLength: Int
    /// H.
    public let hop: Int
    /// Rows made by each call of `process`.
    public let rowCount: Int
    /// B: the highest bin wanted, on either side of zero. A bin is half a tone spacing, rate/(2N), wide.
    public let highestBin: Int
    /// 2B + 1 rounded up to a multiple of eight; what lies behind bin B is rubbish but finite.
    public let rowStride: Int

    private var transform: FFTPlan

    /// See the properties of the same names.
    public init(windowLength: Int, hop: Int, rowCount: Int, highestBin: Int) {
        precondition(highestBin < windowLength, "bin \(highestBin) of \(2 * windowLength)")
        self.windowLength = windowLength
        self.hop = hop
        self.rowCount = rowCount
        self.highestBin = highestBin
        rowStride = (2 * highestBin + 8) / 8 * 8
        transform = FFTPlan(length: 2 * windowLength, batchCount: rowCount)
    }

    /// The baseband that one call of `process` looks at.
    public var inputCount: Int { windowLength + (rowCount - 1) * hop }

    /// Makes `rowCount` rows.
    /// - Parameters:
    ///   - x: baseband from the first row's start; shape [inputCount].
    ///   - rows: receives E from element `first` on; shape [rowCount][rowStride].
    public mutating func process(_ x: Span<ComplexSample>, into rows: inout [Float], from first: Int) {
        let (windowLength, hop, rowCount) = (windowLength, hop, rowCount)
        transform.withInput { input in
            for row in 0..<rowCount {
                for n in 0..<windowLength {
                    input[2 * row * windowLength + n] = x[row * hop + n]
                }
            }
        }
        transform.execute()
        let (highestBin, rowStride) = (highestBin, rowStride)
        let scale = 1 / Float(windowLength * windowLength)
        var energies = rows.mutableSpan
        for row in 0..<rowCount {
            transform.withOutput { spectrum in
                let points = spectrum.extracting(2 * row * windowLength..<2 * (row + 1) * windowLength)
                let base = first + row * rowStride
                for bin in 0..<highestBin {
                    energies[base + bin] = scale * points[2 * windowLength - highestBin + bin].power
                }
                for bin in 0..<rowStride - highestBin {
                    energies[base + highestBin + bin] = scale * points[bin].power
                }
            }
        }
    }
}
