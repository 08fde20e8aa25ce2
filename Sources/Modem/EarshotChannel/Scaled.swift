/// Sound with a constant gain.
///
///     y[n] = g·x[n]
public struct Scaled: SoundSource {
    private var source: any SoundSource
    private let gain: Float

    /// Creates a gain of g, of either sign.
    public init(_ source: any SoundSource, gain: Float) {
        self.source = source
        self.gain = gain
    }

    /// Fills the beginning of `block` with the next samples and returns their number, 0 once the sound has ended.
    public mutating func read(into block: inout MutableSpan<Float>) -> Int {
        let count = source.read(into: &block)
        for index in 0..<count {
            block[index] *= gain
        }
        return count
    }
}
