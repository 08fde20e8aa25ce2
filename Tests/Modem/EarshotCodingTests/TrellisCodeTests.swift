import EarshotBasics
import EarshotCoding
import TestSupport
import Testing

@Suite(.optimized) struct TrellisCodeTests {
    private func pairs(_ count: Int, seed: UInt64) -> [UInt8] {
        var random = SeededGenerator(seed: seed)
        return random.bytes(count).map { $0 & 3 }
    }

    @Test(arguments: ProtocolCode.all)
    func equalsTheDefinitionOnARing(code: ProtocolCode) {
        for count in [5, 12, 40, 136] {
            for seed in 1...5 as ClosedRange<UInt64> {
                let pairs = pairs(count, seed: seed)
                let expected = Reference.encode(pairs, memoryBits: 10, generators: code.generators)
                #expect(code.code.encode(pairs) == expected, "\(count) pairs, seed \(seed)")
            }
        }
    }

    /// Memories of all sizes, odd ones too, which a whole number of pairs does not fill.
    @Test(arguments: 4...12)
    func equalsTheDefinitionForEveryMemory(memoryBits: Int) {
        var random = SeededGenerator(seed: UInt64(memoryBits))
        let generators = (0..<3).map { _ in UInt16.random(in: 1..<UInt16(4 << memoryBits), using: &random) }
        let code = TrellisCode(memoryBits: memoryBits, generators: generators)
        #expect(code.toneCount == 8)
        #expect(code.stateCount == 1 << memoryBits)
        for count in [(memoryBits + 1) / 2, 20] {
            let pairs = pairs(count, seed: 3)
            #expect(
                code.encode(pairs) == Reference.encode(pairs, memoryBits: memoryBits, generators: generators),
                "\(generators) and \(count) pairs, seed 3")
        }
    }

    /// Tail-biting: the ring has no beginning, so a turned frame has a turned codeword.
    @Test(arguments: ProtocolCode.all)
    func aTurnedFrameHasATurnedCodeword(code: ProtocolCode) {
        let pairs = pairs(40, seed: 9)
        let codeword = code.code.encode(pairs)
        for turn in 1..<40 {
            let turned = Array(pairs[turn...] + pairs[..<turn])
            #expect(code.code.encode(turned) == Array(codeword[turn...] + codeword[..<turn]), "by \(turn), seed 9")
        }
    }

    @Test(arguments: ProtocolCode.all)
    func isLinear(code: ProtocolCode) {
        for seed in 1...20 as ClosedRange<UInt64> {
            let (a, b) = (pairs(40, seed: seed), pairs(40, seed: seed + 1000))
            let sum = zip(a, b).map { $0 ^ $1 }
            let sumOfWords = zip(code.code.encode(a), code.code.encode(b)).map { $0 ^ $1 }
            #expect(code.code.encode(sum) == sumOfWords, "seed \(seed)")
        }
    }

    /// By linearity the minimum distance is the minimum number of nonzero tones. One wrong pair is in the register for
    /// ν/2 + 1 = 6 steps, and each step must change the tone. Two wrong pairs, anywhere, must not come closer.
    @Test(arguments: ProtocolCode.all)
    func codewordsOfFewErrorsAreSixTonesApart(code: ProtocolCode) {
        let encoder = code.code
        let count = 40
        func weight(_ errors: [(Int, UInt8)]) -> Int {
            var pairs = [UInt8](repeating: 0, count: count)
            for (step, error) in errors {
                pairs[step] = error
            }
            return encoder.encode(pairs).filter { $0 != 0 }.count
        }
        for error in 1...3 as ClosedRange<UInt8> {
            #expect(weight([(0, error)]) == 6)
            for second in 1..<count {
                for other in 1...3 as ClosedRange<UInt8> {
                    #expect(weight([(0, error), (second, other)]) >= 6, "pairs 0 and \(second)")
                }
            }
        }
    }

    @Test(arguments: ProtocolCode.all)
    func usesEveryToneEquallyOften(code: ProtocolCode) {
        var uses = [Int](repeating: 0, count: code.toneCount)
        for tone in code.code.tones {
            uses[Int(tone)] += 1
        }
        #expect(uses.allSatisfy { $0 == 4096 / code.toneCount })
    }
}
