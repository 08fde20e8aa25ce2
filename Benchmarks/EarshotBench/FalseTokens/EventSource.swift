import EarshotBasics
import EarshotChannel

/// An endless sequence of sounds, each made when its turn comes.
struct EventSource: SoundSource {
    private var generator: SeededGenerator
    private let makeNext: @Sendable (inout SeededGenerator) -> [Float]
    private var current: [Float] = []
    private var position = 0

    /// - Parameter makeNext: returns the next sound, with the silence after it; not empty.
    init(seed: UInt64, _ makeNext: @escaping @Sendable (inout SeededGenerator) -> [Float]) {
        generator = SeededGenerator(seed: seed)
        self.makeNext = makeNext
    }

    mutating func read(into block: inout MutableSpan<Float>) -> Int {
        var filled = 0
        while filled < block.count {
            if position == current.count {
                current = makeNext(&generator)
                position = 0
            }
            let count = min(block.count - filled, current.count - position)
            for index in 0..<count {
                block[filled + index] = current[position + index]
            }
            filled += count
            position += count
        }
        return block.count
    }
}

/// The sum of endless sounds.
func together(_ sources: [any SoundSource]) -> any SoundSource {
    Mix(sources.map { Mix.Part($0) })
}
