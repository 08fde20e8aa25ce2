/// Sound that is read once, from front to back. The air is made by putting sources behind one another:
///
///     frame -> echoes -> motion -> mix of talkers -> + noise -> gain -> clipping
///
/// What is read does not depend on the sizes of the blocks, and is the same again from the same seed.
public protocol SoundSource: Sendable {
    /// Fills the beginning of `block` with what comes next; shape [any].
    /// - Returns: how many samples were filled: less than the block holds only where the sound ends, and 0 from then on.
    mutating func read(into block: inout MutableSpan<Float>) -> Int
}

extension SoundSource {
    /// The next samples, at most `count`.
    public mutating func read(count: Int) -> [Float] {
        var samples = [Float](repeating: 0, count: count)
        var span = samples.mutableSpan
        let filled = read(into: &span)
        samples.removeLast(count - filled)
        return samples
    }

    /// Everything that is left. Not for a sound without an end.
    public mutating func readAll() -> [Float] {
        var samples: [Float] = []
        while case let block = read(count: 8_192), !block.isEmpty {
            samples += block
        }
        return samples
    }
}

/// Sound that is there already.
public struct StoredSound: SoundSource {
    private let samples: [Float]
    private var position = 0

    /// Reads `samples` from the first on.
    public init(_ samples: [Float]) {
        self.samples = samples
    }

    /// See the protocol.
    public mutating func read(into block: inout MutableSpan<Float>) -> Int {
        let count = min(block.count, samples.count - position)
        for index in 0..<count {
            block[index] = samples[position + index]
        }
        position += count
        return count
    }
}
