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
                let window = x.extracting(row * hop..<row * hop + windowLength)
                var place = input._mutatingExtracting(2 * row * windowLength..<(2 * row + 1) * windowLength)
                precondition(place.count == window.count)
                for n in window.indices {
                    place[n] = window[n]
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
                var part = energies._mutatingExtracting(first + row * rowStride..<first + (row + 1) * rowStride)
                var negative = part._mutatingExtracting(0..<highestBin)
                writePowers(points.extracting(2 * windowLength - highestBin..<2 * windowLength), scale, into: &negative)
                var positive = part._mutatingExtracting(highestBin..<rowStride)
                writePowers(points.extracting(0..<rowStride - highestBin), scale, into: &positive)
            }
        }
    }
}

/// y[n] = scale·|x[n]|²; both of one length.
@inline(__always)
private func writePowers(_ x: Span<ComplexSample>, _ scale: Float, into y: inout MutableSpan<Float>) {
    precondition(y.count == x.count)
    for n in x.indices {
        y[n] = scale * x[n].power
    }
}
