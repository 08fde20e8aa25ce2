/// One step of the Viterbi recursion over all states: the trellis decoder's inner loop.
///
///     new(8p + l) = max over j of (old(2p + ⌊l/4⌋ + j·2^ν/4) − o) + λ(tone(8p) ⊕ tone(l) ⊕ tone(2^ν·j))
///
/// Metrics are multiples of 4; the two bits below hold the j that won. `old` may carry its own winners there, they
/// are ignored. Unsafe, and only here: eight results are stored as one vector and read back two by two, which `Span` has
/// no way to say. The slow twin is `Reference.viterbi` in the tests.
///
/// - Parameters:
///   - old: the metrics before the step; shape [2^ν / 8] vectors.
///   - offset: o, subtracted from every metric so that they stay in 16 bits; a multiple of 4.
///   - tones: tone(register); shape [4 · 2^ν].
///   - branches: branches[t][l] = λ(t ⊕ tone(l)); shape [M].
///   - new: receives metrics and winners; shape [2^ν / 8] vectors; must not overlap `old`.
/// - Returns: the largest new metric.
@inline(never)
func addCompareSelect(
    old: UnsafePointer<SIMD8<Int16>>, offset: Int16, tones: UnsafePointer<UInt8>,
    branches: UnsafePointer<SIMD8<Int16>>, new: UnsafeMutablePointer<SIMD8<Int16>>, vectorCount: Int
) -> Int16 {
    let oldMetrics = UnsafeRawPointer(old)
    // Four states of two bytes each enter at p + p + j·2^ν/4, a quarter of the states apart.
    let quarterBytes = vectorCount * 4
    // tone(2^ν·j): what the two bits that leave the register have given to the tone.
    let leaving = (tones[0], tones[8 * vectorCount], tones[16 * vectorCount], tones[24 * vectorCount])
    let winnerOffsets = (
        SIMD8<Int16>(repeating: 0 &- offset), SIMD8<Int16>(repeating: 1 &- offset),
        SIMD8<Int16>(repeating: 2 &- offset), SIMD8<Int16>(repeating: 3 &- offset)
    )
    let metricBits = SIMD8<Int16>(repeating: ~3)
    var highest = SIMD8<Int16>(repeating: .min)

    @inline(__always)
    func before(_ p: Int, _ j: Int) -> SIMD8<Int16> {
        let pair = oldMetrics.load(fromByteOffset: 4 * p + j * quarterBytes, as: UInt32.self)
        let first = Int16(truncatingIfNeeded: pair)
        let second = Int16(truncatingIfNeeded: pair >> 16)
        return SIMD8(lowHalf: SIMD4(repeating: first), highHalf: SIMD4(repeating: second)) & metricBits
    }

    for p in 0..<vectorCount {
        let tone = tones[8 * p]
        var best = before(p, 0) &+ winnerOffsets.0 &+ branches[Int(tone ^ leaving.0)]
        best = pointwiseMax(best, before(p, 1) &+ winnerOffsets.1 &+ branches[Int(tone ^ leaving.1)])
        best = pointwiseMax(best, before(p, 2) &+ winnerOffsets.2 &+ branches[Int(tone ^ leaving.2)])
        best = pointwiseMax(best, before(p, 3) &+ winnerOffsets.3 &+ branches[Int(tone ^ leaving.3)])
        new[p] = best
        highest = pointwiseMax(highest, best)
    }
    return highest.max() & ~3
}
