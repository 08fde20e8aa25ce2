import RealModule

/// Sound with quieter periods: a person walks past a loudspeaker, or a noise suppressor closes its gate.
///
///     y[n] = 10^(−d·s/20)·x[n],   s = min(1, (n − lower + 1)/e, (upper − n)/e) within a range, 0 outside
///
/// The level falls and rises in e samples, linearly in decibels.
public struct Attenuated: SoundSource {
    private var source: any SoundSource
    private var ranges: Holes
    private var range: Range<Int>?
    private let decibels: Double
    private let edgeLength: Double
    private let floor: Float
    private var position = 0

    /// Creates sound that is quieter within ranges.
    /// - Parameters:
    ///   - source: the sound.
    ///   - ranges: the quieter ranges, in samples of the sound.
    ///   - decibels: d, by how much, ≥ 0.
    ///   - edgeLength: e in samples, ≥ 1.
    public init(_ source: any SoundSource, in ranges: Holes, byDecibels decibels: Double, edgeLength: Int) {
        precondition(decibels >= 0 && edgeLength >= 1, "\(decibels) dB, edges of \(edgeLength) samples")
        self.source = source
        self.ranges = ranges
        self.decibels = decibels
        self.edgeLength = Double(edgeLength)
        floor = Float(Double.pow(10, -decibels / 20))
        range = self.ranges.next()
    }

    /// Fills the beginning of `block` with the next samples and returns their number, 0 once the sound has ended.
    public mutating func read(into block: inout MutableSpan<Float>) -> Int {
        let count = source.read(into: &block)
        let end = position + count
        while let here = range, here.lowerBound < end {
            for index in max(here.lowerBound, position)..<min(here.upperBound, end) {
                block[index - position] *= gain(index, in: here)
            }
            if here.upperBound > end { break }
            range = ranges.next()
        }
        position = end
        return count
    }

    private func gain(_ index: Int, in range: Range<Int>) -> Float {
        let nearest = Double(min(index - range.lowerBound + 1, range.upperBound - index))
        return nearest >= edgeLength ? floor : Float(Double.pow(10, -decibels * nearest / edgeLength / 20))
    }
}
