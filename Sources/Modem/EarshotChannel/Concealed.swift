/// A recording with concealed losses, as from speech decoders: the last sound before a loss is repeated.
///
///     y[n] = y[n − L] in a loss,   x[n] elsewhere,   y[n] = 0 for n < 0
///
/// It holds L samples.
public struct Concealed: SoundSource {
    private var source: any SoundSource
    private var losses: Holes
    private var loss: Range<Int>?
    /// y[n − L] at place n mod L.
    private var last: [Float]
    private var position = 0

    /// Creates sound whose losses are concealed.
    /// - Parameters:
    ///   - source: x, the sound.
    ///   - losses: in samples of the sound.
    ///   - repeatedLength: L in samples, ≥ 1.
    public init(_ source: any SoundSource, losses: Holes, repeatedLength: Int) {
        precondition(repeatedLength >= 1, "\(repeatedLength) samples to repeat")
        self.source = source
        self.losses = losses
        loss = self.losses.next()
        last = [Float](repeating: 0, count: repeatedLength)
    }

    /// Fills the beginning of `block` with the next samples and returns their number, 0 once the sound has ended.
    public mutating func read(into block: inout MutableSpan<Float>) -> Int {
        let count = source.read(into: &block)
        for index in 0..<count {
            while let here = loss, here.upperBound <= position { loss = losses.next() }
            let place = position % last.count
            if let here = loss, here.contains(position) {
                block[index] = last[place]
            } else {
                last[place] = block[index]
            }
            position += 1
        }
        return count
    }
}
