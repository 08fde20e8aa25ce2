import EarshotBasics
public import EarshotChannel
public import Testing

/// Expects the same samples, bit by bit, from a source read at once and from equal sources read in
/// blocks of random sizes from 0 on: mostly tiny ones, mostly large ones, and both alternately. A
/// sound must also stay ended after its end.
///
/// - Parameters:
///   - count: the number of samples to read from a sound without an end.
///   - make: returns the same source each time.
public func expectSameInAnyBlocks(
    count: Int = 30_000, seed: UInt64 = 1, sourceLocation: SourceLocation = #_sourceLocation,
    _ make: () throws -> some SoundSource
) rethrows {
    var source = try make()
    let whole = source.read(count: count)
    if whole.count < count {
        #expect(source.read(count: 10).isEmpty, "the sound goes on after its end", sourceLocation: sourceLocation)
    }
    var random = SeededGenerator(seed: seed)
    for largest in [3, 70, 1_000, 20_000] {
        var twin = try make()
        var samples: [Float] = []
        while samples.count < count {
            let limit = Int.random(in: 0..<4, using: &random) == 0 ? 3 : largest
            let wanted = min(Int.random(in: 0...limit, using: &random), count - samples.count)
            let block = twin.read(count: wanted)
            samples += block
            if block.count < wanted { break }
        }
        let isSame = samples.count == whole.count && zip(samples, whole).allSatisfy { $0.bitPattern == $1.bitPattern }
        #expect(
            isSame,
            """
            \(samples.count) samples of \(whole.count), the first \(zip(samples, whole).prefix { $0 == $1 }.count) \
            alike, blocks of 0...\(largest), seed \(seed)
            """, sourceLocation: sourceLocation)
    }
}
