import EarshotBasics
import EarshotChannel
import EarshotCoding
import TestSupport
import Testing

@Suite(.optimized) struct TrellisDecoderTests {
    private func pairs(_ count: Int, _ random: inout SeededGenerator) -> [UInt8] {
        random.bytes(count).map { $0 & 3 }
    }

    /// 1 for the tone sent, 0 for the others.
    private func noiseless(_ tones: [UInt8], toneCount: Int) -> [Float] {
        tones.flatMap { tone in (0..<toneCount).map { $0 == Int(tone) ? 1 : 0 } }
    }

    private func decode(
        _ decoder: inout TrellisDecoder, _ code: TrellisCode, _ metrics: [Float], stepCount: Int
    ) -> (pairs: [UInt8], isTailBiting: Bool) {
        var decoded = [UInt8](repeating: 0xFF, count: stepCount)
        let isTailBiting = decoder.decode(code, metrics, stepCount: stepCount, into: &decoded)
        return (decoded, isTailBiting)
    }

    /// One decoder decodes all frames, as in the receiver: earlier frames must leave no trace.
    @Test func withoutNoiseEveryLengthOfEveryProfileComesBack() {
        var random = SeededGenerator(seed: 1)
        var decoder = TrellisDecoder(memoryBits: 10, longestStepCount: FrameLayout.longest.dataToneCount)
        for byteCount in 1...32 {
            for profile in ProtocolCode.all {
                let code = profile.code
                let sent = pairs(4 * byteCount + 8, &random)
                let metrics = noiseless(code.encode(sent), toneCount: code.toneCount)
                let decoded = decode(&decoder, code, metrics, stepCount: sent.count)
                #expect(decoded.pairs == sent, "\(byteCount) bytes, \(profile), seed 1")
                #expect(decoded.isTailBiting)
            }
        }
    }

    /// Integer metrics from 0 to 1,000 pass the decoder's quantisation unchanged, so both must agree in every pair, on
    /// noise as well as on signals.
    @Test(arguments: ProtocolCode.all)
    func agreesWithTheSlowTwin(profile: ProtocolCode) {
        let code = profile.code
        var decoder = TrellisDecoder(memoryBits: 10, longestStepCount: 40)
        for (seed, stepCount) in [(1, 12), (2, 40), (3, 40), (4, 16), (5, 31), (6, 40)] as [(UInt64, Int)] {
            var random = SeededGenerator(seed: seed)
            let sent = code.encode(pairs(stepCount, &random))
            var metrics = (0..<stepCount * code.toneCount).map { _ in Float(Int.random(in: 0...1000, using: &random)) }
            (metrics[0], metrics[1]) = (0, 1000)
            if seed % 2 == 0 {
                for step in 0..<stepCount {
                    let place = step * code.toneCount + Int(sent[step])
                    metrics[place] = Float(Int.random(in: 500...1000, using: &random))
                }
            }
            let decoded = decode(&decoder, code, metrics, stepCount: stepCount)
            let expected = Reference.viterbi(
                rows(metrics, code.toneCount), memoryBits: 10, generators: profile.generators,
                settlingSteps: TrellisDecoder.settlingSteps)
            #expect(decoded.pairs == expected.pairs, "seed \(seed)")
            #expect(decoded.isTailBiting == expected.isTailBiting, "seed \(seed)")
        }
    }

    /// All memories that the code allows, at the maximum contrast: one tone has everything and the others nothing. Path
    /// metrics then spread as far as they can, and must still fit into 16 bits.
    @Test(arguments: 4...12)
    func agreesWithTheSlowTwinForEveryMemoryAtFullContrast(memoryBits: Int) {
        var random = SeededGenerator(seed: UInt64(memoryBits))
        let generators = (0..<3).map { _ in UInt16.random(in: 1..<UInt16(4 << memoryBits), using: &random) }
        let code = TrellisCode(memoryBits: memoryBits, generators: generators)
        var decoder = TrellisDecoder(memoryBits: memoryBits, longestStepCount: 20)
        var metrics: [Float] = []
        for _ in 0..<20 {
            let loud = Int.random(in: 0..<8, using: &random)
            metrics += (0..<8).map { $0 == loud ? 1000 : 0 }
        }
        let decoded = decode(&decoder, code, metrics, stepCount: 20)
        let expected = Reference.viterbi(
            rows(metrics, 8), memoryBits: memoryBits, generators: generators,
            settlingSteps: TrellisDecoder.settlingSteps)
        #expect(decoded.pairs == expected.pairs, "generators \(generators), seed \(memoryBits)")
        #expect(decoded.isTailBiting == expected.isTailBiting)
    }

    /// For a code that is small enough to try all words, the decoder finds the best one: 4⁶ words, 6 steps, 16 states.
    ///
    /// A walk around the ring may end in a path that is no codeword, and the decoder says so. A
    /// path that it calls tail-biting must be the best word, up to the rounding of quantisation: 6
    /// steps of 1/1,000 of the range of 2 each.
    @Test func isMaximumLikelihood() {
        let generators: [UInt16] = [0o73, 0o52, 0o31]
        let code = TrellisCode(memoryBits: 4, generators: generators)
        var decoder = TrellisDecoder(memoryBits: 4, longestStepCount: 6)
        var tailBitingCount = 0
        for seed in 1...200 as ClosedRange<UInt64> {
            var random = SeededGenerator(seed: seed)
            let sent = code.encode(pairs(6, &random))
            let metrics = (0..<48).map { index -> Float in
                Float.random(in: 0...1, using: &random) + (index % 8 == Int(sent[index / 8]) ? 1 : 0)
            }
            let decoded = decode(&decoder, code, metrics, stepCount: 6)
            guard decoded.isTailBiting else { continue }
            tailBitingCount += 1
            let reached = Reference.pathMetric(code.encode(decoded.pairs), rows(metrics, 8))
            let best = Reference.bestPathMetric(rows(metrics, 8), memoryBits: 4, generators: generators)
            #expect(reached >= best - 6 * 2.0 / 1000, "seed \(seed)")
            #expect(reached <= best + 1e-6, "seed \(seed): the reference is not the best")
        }
        #expect(tailBitingCount > 150, "\(tailBitingCount) of 200")
    }

    @Test func aDecoderThatWasUsedEqualsAFreshOne() {
        var used = TrellisDecoder(memoryBits: 10, longestStepCount: 136)
        for seed in 1...30 as ClosedRange<UInt64> {
            var random = SeededGenerator(seed: seed)
            let code = ProtocolCode.all[Int(seed % 3)].code
            let stepCount = Int.random(in: 12...136, using: &random)
            let metrics = random.samples(stepCount * code.toneCount)
            var fresh = TrellisDecoder(memoryBits: 10, longestStepCount: stepCount)
            let first = decode(&used, code, metrics, stepCount: stepCount)
            let second = decode(&fresh, code, metrics, stepCount: stepCount)
            #expect(first.pairs == second.pairs, "seed \(seed)")
            #expect(first.isTailBiting == second.isTailBiting, "seed \(seed)")
        }
    }

    /// Only differences within a step count, and only their ratios. Powers of two scale without rounding. These offsets
    /// do not round either, because the metrics are multiples of 1/64.
    @Test(arguments: [(1, 0), (0x1p-18, 0), (0x1p100, 0), (1, 4096), (1, -65536)] as [(Float, Float)])
    func offsetsAndScalesDoNotMatter(scale: Float, offset: Float) {
        let code = ProtocolCode.standard.code
        var random = SeededGenerator(seed: 77)
        let metrics = (0..<40 * 32).map { _ in Float(Int.random(in: 0...640, using: &random)) / 64 }
        let moved = metrics.enumerated().map { index, metric in
            // Another offset in every step.
            scale * metric + offset * Float(index / 32 % 4)
        }
        var decoder = TrellisDecoder(memoryBits: 10, longestStepCount: 40)
        let expected = decode(&decoder, code, metrics, stepCount: 40)
        let decoded = decode(&decoder, code, moved, stepCount: 40)
        #expect(decoded.pairs == expected.pairs, "seed 77")
        #expect(decoded.isTailBiting == expected.isTailBiting)
    }

    /// Equal metrics carry no information: the decoder must not trap, and must give the same answer each time.
    @Test func metricsThatAreAllEqualAreStood() {
        var decoder = TrellisDecoder(memoryBits: 10, longestStepCount: 40)
        let metrics = [Float](repeating: 3, count: 40 * 32)
        let code = ProtocolCode.standard.code
        let first = decode(&decoder, code, metrics, stepCount: 40)
        #expect(first.pairs.allSatisfy { $0 < 4 })
        #expect(decode(&decoder, code, metrics, stepCount: 40) == first)
    }

    /// A codeword's path closes. The path of noise closes in a third of the frames: 62, 71
    /// and 77 of 200 here, with a deviation of 7.
    @Test(arguments: ProtocolCode.all)
    func pathsThroughNoiseSeldomClose(profile: ProtocolCode) {
        let code = profile.code
        var decoder = TrellisDecoder(memoryBits: 10, longestStepCount: 40)
        var random = SeededGenerator(seed: 5)
        var closed = 0
        for _ in 0..<200 {
            let metrics = random.samples(40 * code.toneCount)
            closed += decode(&decoder, code, metrics, stepCount: 40).isTailBiting ? 1 : 0
        }
        #expect(closed < 100, "\(closed) of 200, seed 5")
    }

    private func rows(_ metrics: [Float], _ toneCount: Int) -> [[Double]] {
        stride(from: 0, to: metrics.count, by: toneCount).map { first in
            metrics[first..<first + toneCount].map { Double($0) }
        }
    }
}
