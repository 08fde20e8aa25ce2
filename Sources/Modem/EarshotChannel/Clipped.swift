/// Sound clipped by an amplifier, a converter or a loudspeaker.
///
///     y[n] = min(max(x[n], −L), L)
public struct Clipped: SoundSource {
    private var source: any SoundSource
    private let level: Float

    /// - Parameters:
    ///   - source: x, the sound to clip.
    ///   - level: L, ≥ 0; full scale is 1.
    public init(_ source: any SoundSource, level: Float = 1) {
        precondition(level >= 0, "clipped at a level of \(level)")
        self.source = source
        self.level = level
    }

    /// Fills the beginning of `block` with the next samples and returns their number, 0 once the sound has ended.
    public mutating func read(into block: inout MutableSpan<Float>) -> Int {
        let count = source.read(into: &block)
        for index in 0..<count {
            block[index] = min(max(block[index], -level), level)
        }
        return count
    }
}
