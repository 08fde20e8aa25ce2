import EarshotBasics
import EarshotChannel
import EarshotCoding
import EarshotModem

/// A kind of pairs of payloads.
private struct PairKind: Sendable {
    let name: String
    let make: @Sendable (Int, inout SeededGenerator) -> ([UInt8], [UInt8])

    static let all = [
        PairKind("random") { count, generator in
            var pair = (bytes(count, &generator), bytes(count, &generator))
            while pair.0 == pair.1 { pair.1 = bytes(count, &generator) }
            return pair
        },
        PairKind("one bit") { count, generator in
            let first = bytes(count, &generator)
            return (first, flipped(first, [Int.random(in: 0..<8 * count, using: &generator)]))
        },
        PairKind("two bits") { count, generator in
            let first = bytes(count, &generator)
            let bit = Int.random(in: 0..<8 * count, using: &generator)
            let step = Int.random(in: 1..<8 * count, using: &generator)
            return (first, flipped(first, [bit, (bit + step) % (8 * count)]))
        },
        PairKind("0…01 to 0…64") { count, generator in
            let first = UInt8.random(in: 1...100, using: &generator)
            let step = UInt8.random(in: 1...99, using: &generator)
            let zeros = [UInt8](repeating: 0, count: count - 1)
            return (zeros + [first], zeros + [(first - 1 + step) % 100 + 1])
        },
        PairKind("one letter") { count, generator in
            let letters = Array("abcdefghijklmnopqrstuvwxyz 0123456789".utf8)
            let text = (0..<count).map { _ in letters[Int.random(in: letters.indices, using: &generator)] }
            let place = Int.random(in: 0..<count, using: &generator)
            var other = text
            while other == text { other[place] = letters[Int.random(in: letters.indices, using: &generator)] }
            return (text, other)
        },
    ]

    init(_ name: String, _ make: @escaping @Sendable (Int, inout SeededGenerator) -> ([UInt8], [UInt8])) {
        (self.name, self.make) = (name, make)
    }

    private static func bytes(_ count: Int, _ generator: inout SeededGenerator) -> [UInt8] {
        (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) }
    }

    private static func flipped(_ bytes: [UInt8], _ bits: [Int]) -> [UInt8] {
        var bytes = bytes
        for bit in bits { bytes[bit / 8] ^= 0x80 >> UInt8(bit % 8) }
        return bytes
    }
}

/// Counts the data tones in which two payloads differ.
func measureAlikeTones(_ report: inout Report, pairCount: Int, seed: UInt64) {
    report.add(
        "\n**Data tones in which two payloads differ**, mean (minimum) of \(pairCount) pairs; "
            + "`alike --part tones --pairs \(pairCount)`. Random tones of M differ in a share of 1 − 1/M.\n")
    report.add(
        "| bytes | profile | data tones | 1 − 1/M of them | " + PairKind.all.map(\.name).joined(separator: " | ")
            + " |\n|---|---|---|---|" + String(repeating: "---|", count: PairKind.all.count))
    for byteCount in [1, 2, 4, 8, 16, 32] {
        for profile in Profile.all {
            var generator = SeededGenerator(seed: seed + UInt64(byteCount))
            let toneCount = FrameLayout(payloadByteCount: byteCount).dataToneCount
            let cells = PairKind.all.map { kind in
                let counts = (0..<pairCount).map { _ in
                    differenceCount(kind.make(byteCount, &generator), profile)
                }
                let mean = Double(counts.reduce(0, +)) / Double(pairCount)
                return "\(decimal(mean, 2)) (\(counts.min() ?? 0))"
            }
            let expected = Double(toneCount) * (1 - 1 / Double(profile.toneCount))
            report.add(
                "| \(byteCount) | `\(profile.name)` | \(toneCount) | \(decimal(expected, 2)) | "
                    + cells.joined(separator: " | ") + " |")
        }
    }
}

private func differenceCount(_ pair: ([UInt8], [UInt8]), _ profile: Profile) -> Int {
    let tones = [pair.0, pair.1].map { bytes in
        guard let payload = try? Payload(bytes) else { preconditionFailure("\(bytes.count) bytes are no payload") }
        return profile.code.encode(FrameBits.pairs(of: payload))
    }
    return zip(tones[0], tones[1]).count { $0 != $1 }
}
