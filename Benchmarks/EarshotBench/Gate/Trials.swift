import EarshotBasics
import EarshotChannel
import EarshotLoopback

/// Trials of one scene on all cores, each with a seed of its own that follows from `seed`.
func runTrials(_ scene: AirScene, trialCount: Int, seed: UInt64) throws -> AirTally {
    var generator = SeededGenerator(seed: seed)
    let seeds = (0..<trialCount).map { _ in generator.next() }
    let prepared = try PreparedScene(scene)
    return try concurrently(trialCount) { try prepared.run(seed: seeds[$0]) }
        .reduce(into: AirTally()) { $0.add($1) }
}

/// The seed of a name (FNV-1a), so that a check keeps its random numbers if other checks are added or left out.
func derivedSeed(_ seed: UInt64, _ name: String) -> UInt64 {
    let hash = name.utf8.reduce(0xCBF2_9CE4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
    var generator = SeededGenerator(seed: seed ^ hash)
    return generator.next()
}
