/// Sound through a gain that does not change.
///
///     y[n] = g·x[n]
public struct Scaled: SoundSource {
    private var source: any SoundSource
    private let gain: Float

    /// g may be negative.
    public init(_ source: any SoundSource, gain: Float) {
        self.source = source
        self.gain = gain
    }

    /// See the protocol.
    public mutating func read(into block: inout MutableSpan<Float>) -> Int {
        let count = source.read(into: &block)
        for index in 0..<count {
            block[index] *= gain
        }
        return count
    }
}
