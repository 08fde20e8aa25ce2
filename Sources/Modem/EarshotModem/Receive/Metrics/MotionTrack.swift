import EarshotCoding

/// The place of each symbol of a frame in time and frequency while its transmitter or receiver changes its speed.
///
///     s[k+1] = s[k] + N / (1 + f[k]/centre)
///
/// A value for the longest frame and its echo. No allocation after `init`.
struct MotionTrack: ~Copyable {
    private let format: BasebandFormat
    /// s, in baseband samples; shape [longest frame and its echo].
    private(set) var starts: [Double]
    /// f in hertz; like `starts`.
    private(set) var offsetsHertz: [Float]

    init(format: BasebandFormat) {
        self.format = format
        let count = FrameLayout.longest.toneCount + ToneMetrics.echoSymbolCount
        starts = [Double](repeating: 0, count: count)
        offsetsHertz = [Float](repeating: 0, count: count)
    }

    /// Writes a track that begins at `start`.
    /// - Parameters:
    ///   - start: s[0].
    ///   - symbolCount: the number of symbols with their own offset; those of the echo have the offset of the last one.
    ///   - offsetHertz: f of a symbol.
    mutating func write(from start: Double, symbolCount: Int, _ offsetHertz: (Int) -> Float) {
        var start = start
        for symbol in 0..<symbolCount + ToneMetrics.echoSymbolCount {
            offsetsHertz[symbol] = symbol < symbolCount ? offsetHertz(symbol) : offsetsHertz[symbolCount - 1]
            starts[symbol] = start
            start += format.symbolLength(offsetHertz: offsetsHertz[symbol])
        }
    }

    /// Writes the track of a view whose offset is constant.
    mutating func write(_ view: FrameView) {
        write(from: view.place.start, symbolCount: view.layout.toneCount) { _ in view.place.offsetHertz }
    }
}
