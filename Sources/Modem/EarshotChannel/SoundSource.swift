/// Sound that a caller reads once, from beginning to end. The air is a chain of sources:
///
///     frame -> echoes -> motion -> mix of talkers -> + noise -> gain -> clipping
///
/// The samples do not depend on the sizes of the blocks, and the same seed gives the same samples.
public protocol SoundSource: Sendable {
    /// Fills the beginning of `block` with the next samples; shape [any].
    /// - Returns: the number of samples filled: fewer than the block's size only at the end of the sound, and 0 from
    ///   then on.
    mutating func read(into block: inout MutableSpan<Float>) -> Int
}

extension SoundSource {
    /// Reads the next samples, at most `count`.
    public mutating func read(count: Int) -> [Float] {
        var samples = [Float](repeating: 0, count: count)
        var span = samples.mutableSpan
        let filled = read(into: &span)
        samples.removeLast(count - filled)
        return samples
    }

    /// Reads all remaining samples. Never returns for an endless sound.
    public mutating func readAll() -> [Float] {
        var samples: [Float] = []
        while case let block = read(count: 8_192), !block.isEmpty {
            samples += block
        }
        return samples
    }
}

/// A sound from samples in memory.
public struct StoredSound: SoundSource {
    private let samples: [Float]
    private var position = 0

    /// Creates a sound that reads `samples` from the first on.
    public init(_ samples: [Float]) {
        self.samples = samples
    }

    /// Fills the beginning of `block` with the next samples and returns their number, 0 once the sound has ended.
    public mutating func read(into block: inout MutableSpan<Float>) -> Int {
        let count = min(block.count, samples.count - position)
        for index in 0..<count {
            block[index] = samples[position + index]
        }
        position += count
        return count
    }
}
