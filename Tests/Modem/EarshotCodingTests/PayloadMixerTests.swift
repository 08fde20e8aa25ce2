import EarshotBasics
import EarshotCoding
import RealModule
import TestSupport
import Testing

/// Maps payloads to bytes on the air and back, and compares the tones of similar payloads.
@Suite(.optimized) struct PayloadMixerTests {
    @Test func equalsTheDefinitionAndComesBackAtEveryLength() throws {
        var random = SeededGenerator(seed: 1)
        for count in Payload.validCounts {
            for bytes in [random.bytes(count), [UInt8](repeating: 0, count: count)] {
                let payload = try Payload(bytes)
                let sent = PayloadMixer.mix(payload)
                #expect(sent.bytes == Reference.mix(bytes), "\(payload)")
                #expect(PayloadMixer.unmix(sent) == payload, "\(payload)")
            }
        }
    }

    /// Every byte and every pair of bytes has its own place: no two payloads become one.
    @Test func isOneToOne() throws {
        #expect(Set(try (0...255 as ClosedRange<UInt8>).map { PayloadMixer.mix(try Payload([$0])) }).count == 256)
        var sent = Set<Payload>()
        for number in 0..<65_536 {
            sent.insert(PayloadMixer.mix(try Payload([UInt8(number >> 8), UInt8(number & 255)])))
        }
        #expect(sent.count == 65_536)
    }

    /// A change of any bit of a token changes every bit on the air in half of the cases.
    ///
    /// Among 64 · 64 pairs of bits and 1,000 tokens, a share has a deviation of 0.5/√1,000 = 0.0158 about one half.
    /// With one in 6,000 seeds, one of the 4,096 shares is 5.5 deviations away.
    @Test func everyBitDependsOnEveryBit() throws {
        var random = SeededGenerator(seed: 2)
        var changes = [Int](repeating: 0, count: 64 * 64)
        for _ in 0..<1_000 {
            let bytes = random.bytes(8)
            let sent = PayloadMixer.mix(try Payload(bytes)).bytes
            for bit in 0..<64 {
                var alike = bytes
                alike[bit / 8] ^= 0x80 >> UInt8(bit % 8)
                let other = PayloadMixer.mix(try Payload(alike)).bytes
                for place in 0..<64 where (sent[place / 8] ^ other[place / 8]) & 0x80 >> UInt8(place % 8) != 0 {
                    changes[64 * bit + place] += 1
                }
            }
        }
        let farthest = changes.map { abs(Double($0) / 1_000 - 0.5) }.max() ?? 1
        #expect(farthest < 5.5 * 0.0158, "\(farthest), seed 2")
    }
}

/// The tones of similar payloads differ as often as those of random payloads.
@Suite(.optimized) struct AlikePayloadTests {
    private typealias Pair = [[UInt8]]

    /// Two random payloads share each data tone with probability 1/M, so K tones differ in K·(1 − 1/M) places on
    /// average, with a variance of K/M·(1 − 1/M). Similar payloads must reach that mean within five deviations of the
    /// mean; in 384 comparisons, chance fails with one in 4,500 seeds. At no length may two of them share more tones
    /// than random payloads would: see `mostShared`.
    @Test(arguments: ProtocolCode.all)
    func alikePayloadsDifferLikeRandomOnes(protocolCode: ProtocolCode) throws {
        let (code, toneCount) = (protocolCode.code, Double(protocolCode.toneCount))
        var random = SeededGenerator(seed: 3)
        for count in Payload.validCounts {
            let stepCount = 4 * count + 12
            for (name, pairs) in Self.alikePairs(byteCount: count, &random) {
                let shared = try pairs.map { pair in
                    let tones = try pair.map { code.encode(FrameBits.pairs(of: try Payload($0))) }
                    return zip(tones[0], tones[1]).count { $0 == $1 }
                }
                let mean = Double(shared.reduce(0, +)) / Double(shared.count)
                let expected = Double(stepCount) / toneCount
                let deviation = (expected * (1 - 1 / toneCount) / Double(shared.count)).squareRoot()
                let summary = "\(name), \(count) bytes: \(mean) shared tones, expected \(expected), seed 3"
                #expect(abs(mean - expected) < 5 * deviation, "\(summary)")
                let most = Self.mostShared(stepCount, 1 / toneCount, pairCount: shared.count)
                #expect((shared.max() ?? 0) <= most, "\(summary), at most \(shared.max() ?? 0)")
            }
        }
    }

    /// The number of shared tones that fewer than one in 10⁵ sets of `pairCount` random pairs exceed by the binomial
    /// distribution, plus two, because the tones of a codeword are not quite independent.
    private static func mostShared(_ stepCount: Int, _ share: Double, pairCount: Int) -> Int {
        var (tail, term) = (1.0, Double.pow(1 - share, stepCount))
        for shared in 0..<stepCount {
            tail -= term
            if tail * Double(pairCount) < 1e-5 { return shared + 2 }
            term *= Double(stepCount - shared) / Double(shared + 1) * share / (1 - share)
        }
        return stepCount
    }

    /// Different pairs of payloads, up to 300 of each kind.
    private static func alikePairs(byteCount: Int, _ random: inout SeededGenerator) -> [(String, Set<Pair>)] {
        var kinds: [(String, Set<Pair>)] = []
        func add(_ name: String, _ pair: (inout SeededGenerator) -> Pair, _ random: inout SeededGenerator) {
            kinds.append((name, Set((0..<300).map { _ in pair(&random) })))
        }
        func flipped(_ bytes: [UInt8], _ bit: Int) -> [UInt8] {
            var bytes = bytes
            bytes[bit / 8] ^= 0x80 >> UInt8(bit % 8)
            return bytes
        }
        let bits = 0..<8 * byteCount
        add(
            "one bit",
            { random in
                let bytes = random.bytes(byteCount)
                return [bytes, flipped(bytes, bits.randomElement(using: &random)!)]
            }, &random)
        add(
            "two bits",
            { random in
                let (bytes, first) = (random.bytes(byteCount), bits.randomElement(using: &random)!)
                let second = bits.filter { $0 != first }.randomElement(using: &random)!
                return [bytes, flipped(flipped(bytes, first), second)]
            }, &random)
        add(
            "numbers from zero",
            { random in
                let prefix = [UInt8](repeating: 0, count: byteCount - 1)
                let first = UInt8.random(in: 0...99, using: &random)
                let second = (0...99).filter { $0 != first }.randomElement(using: &random)!
                return [prefix + [min(first, second)], prefix + [max(first, second)]]
            }, &random)
        let letters = Array("abcdefghijklmnopqrstuvwxyz 0123456789".utf8)
        add(
            "a letter of a text",
            { random in
                let text = (0..<byteCount).map { _ in letters.randomElement(using: &random)! }
                let place = Int.random(in: 0..<byteCount, using: &random)
                var other = text
                other[place] = letters.filter { $0 != text[place] }.randomElement(using: &random)!
                return [text, other]
            }, &random)
        return kinds
    }
}
