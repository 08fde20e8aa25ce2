import EarshotDSP

/// Builds a spectrogram of baseband of any length in little memory.
///
/// The windows are Hann windows 5/4 of a symbol long, an eighth of a symbol apart. A rectangular window would smear
/// each step from tone to tone over the whole band; Hann's keeps it in place and still separates neighbouring tones.
/// When there are too many columns, each pair becomes one that keeps the louder value. So a picture of an hour still
/// shows a tone of one symbol.
struct SpectrogramBuilder: ~Copyable {
    static let maximumColumnCount = 1_200
    private let basebandRateHertz: Int
    private let centreHertz: Int
    private let highestBin: Int
    private var spectrum: ShortTimeSpectrum
    private var baseband: [ComplexSample]
    /// w[n], scaled so that a tone of amplitude 1 still has energy 1; shape [windowLength].
    private let window: [Float]
    /// One window of baseband times w; shape [windowLength].
    private var windowed: [ComplexSample]
    /// The energies of one window; shape [rowStride].
    private var energies: [Float]
    private var columns: [Float] = []
    private var windowsPerColumn = 1
    /// The number of windows already in the last column.
    private var windowsInColumn = 0

    /// - Parameters:
    ///   - symbolLength: baseband samples in a symbol of the profile to show best, a multiple of 8.
    ///   - reachHertz: how far the rows reach from the centre, in hertz.
    init(symbolLength: Int, basebandRateHertz: Int, centreHertz: Int, reachHertz: Double) {
        self.basebandRateHertz = basebandRateHertz
        self.centreHertz = centreHertz
        let windowLength = symbolLength * 5 / 4
        highestBin = Int((reachHertz * Double(2 * windowLength) / Double(basebandRateHertz)).rounded(.up))
        spectrum = ShortTimeSpectrum(
            windowLength: windowLength, hop: symbolLength / 8, rowCount: 1, highestBin: highestBin)
        // Twice Hann's window has the mean 1.
        window = hannWindow(count: windowLength).map { Float(2 * $0) }
        windowed = [ComplexSample](repeating: ComplexSample(), count: windowLength)
        energies = [Float](repeating: 0, count: spectrum.rowStride)
        // Puts the middle of the first window half a hop after the beginning, at the middle of the first column.
        baseband = [ComplexSample](repeating: ComplexSample(), count: (windowLength - spectrum.hop) / 2)
    }

    private var rowCount: Int { 2 * highestBin + 1 }

    /// Takes the next baseband samples.
    mutating func append(_ samples: ArraySlice<ComplexSample>) {
        baseband += samples
        var first = 0
        while first + window.count <= baseband.count {
            for n in window.indices { windowed[n] = window[n] * baseband[first + n] }
            transform()
            appendWindow()
            first += spectrum.hop
        }
        baseband.removeFirst(first)
    }

    private mutating func transform() {
        // Moved out of self while `spectrum`, another part of self, works.
        let windowed = exchange(&windowed, with: [])
        var energies = exchange(&energies, with: [])
        spectrum.process(windowed.span, into: &energies, from: 0)
        self.energies = energies
        self.windowed = windowed
    }

    /// Returns the spectrogram of the first `seconds`. Silence replaces the samples after them.
    consuming func finish(seconds: Double) -> Spectrogram {
        append([ComplexSample](repeating: ComplexSample(), count: 2 * window.count)[...])
        let columnSeconds = Double(windowsPerColumn * spectrum.hop) / Double(basebandRateHertz)
        let rowHertz = Double(basebandRateHertz) / Double(2 * window.count)
        let wanted = max(1, Int((seconds / columnSeconds).rounded(.up)))
        return Spectrogram(
            columnSeconds: columnSeconds, rowHertz: rowHertz,
            lowestRowHertz: Double(centreHertz) - Double(highestBin) * rowHertz, rowCount: rowCount,
            energies: Array(columns.prefix(wanted * rowCount)))
    }

    private mutating func appendWindow() {
        if windowsInColumn == windowsPerColumn || columns.isEmpty {
            if columns.count == Self.maximumColumnCount * rowCount { halve() }
            columns += energies[..<rowCount]
            windowsInColumn = 1
            return
        }
        let column = columns.count - rowCount
        for row in 0..<rowCount {
            columns[column + row] = max(columns[column + row], energies[row])
        }
        windowsInColumn += 1
    }

    private mutating func halve() {
        let count = Self.maximumColumnCount / 2
        for column in 0..<count {
            for row in 0..<rowCount {
                let first = 2 * column * rowCount + row
                columns[column * rowCount + row] = max(columns[first], columns[first + rowCount])
            }
        }
        columns.removeLast(count * rowCount)
        windowsPerColumn *= 2
    }
}
