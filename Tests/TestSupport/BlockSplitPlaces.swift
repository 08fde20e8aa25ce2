public import EarshotChannel

/// All of a sound, read in blocks of random lengths from 0 to `longest`.
public func readInRandomBlocks(_ source: any SoundSource, longest: Int, seed: UInt64) -> [Float] {
    var source = source
    var random = Randomness(seed: seed)
    var samples: [Float] = []
    while true {
        let count = Int.random(in: 0...longest, using: &random)
        let block = source.read(count: count)
        samples += block
        if block.count < count { return samples }
    }
}
