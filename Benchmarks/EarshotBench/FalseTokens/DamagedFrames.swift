import EarshotBasics
import EarshotChannel
import EarshotCoding
import EarshotModem
import Foundation

extension SoundKind {
    /// Earshot's own frames: a report may be right here, and is wrong if the token was not sent.
    static let damagedFrames = [
        SoundKind("damaged frames of our own", hasFrames: true) { seed in
            together([EventSource(seed: seed, damagedFrame), quietNoise(seed)])
        },
        SoundKind(
            "frames with another protocol's check: random bits, of which the CRC passes one in 16,777,216",
            hasFrames: true
        ) {
            seed in
            together([EventSource(seed: seed, foreignFrame), quietNoise(seed)])
        },
    ]

    /// A payload that differs from random bytes: its last four bytes are a hash of the others.
    private static func tellingPayload(_ generator: inout SeededGenerator) -> Payload {
        let byteCount = [8, 8, 8, 12, 32][Int.random(in: 0..<5, using: &generator)]
        let bytes = (0..<byteCount - 4).map { _ in UInt8.random(in: 0...255, using: &generator) }
        guard let payload = try? Payload(bytes + hash(bytes)) else { preconditionFailure("\(byteCount) bytes") }
        return payload
    }

    /// Whether the payload is one of those that these frames carry.
    static func wasSent(_ payload: Payload) -> Bool {
        let bytes = payload.bytes
        return bytes.count > 4 && Array(bytes.suffix(4)) == hash(bytes.dropLast(4))
    }

    private static func hash(_ bytes: some Sequence<UInt8>) -> [UInt8] {
        let hash = bytes.reduce(0xCBF2_9CE4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
        var generator = SeededGenerator(seed: hash)
        let word = generator.next()
        return (0..<4).map { UInt8(truncatingIfNeeded: word >> UInt64(8 * $0)) }
    }

    /// A frame with some of its symbols replaced, silenced, or taken from another frame,
    /// up to damage beyond any repair.
    private static func damagedFrame(_ generator: inout SeededGenerator) -> [Float] {
        let profile = Profile.all[Int.random(in: 0..<3, using: &generator)]
        guard let transmitter = try? Transmitter(profile: profile, sampleRateHertz: 48_000) else { return [0] }
        var tones = transmitter.tones(tellingPayload(&generator))
        var gains = [Double](repeating: 1, count: tones.count)
        // All but the sync tones can be damaged.
        let places = tones.indices.filter { FrameLayout.syncIndex(at: $0) == nil }
        let damageCount = Int.random(in: 1...places.count * 2 / 3, using: &generator)
        switch Int.random(in: 0..<3, using: &generator) {
        case 0:
            for _ in 0..<damageCount {
                tones[places[Int.random(in: places.indices, using: &generator)]] =
                    Int.random(in: 0..<profile.toneCount, using: &generator)
            }
        case 1:
            let start = Int.random(in: 0...places.count - damageCount, using: &generator)
            for symbol in places[start..<start + damageCount] {
                gains[symbol] = 0
            }
        default:
            let other = transmitter.tones(tellingPayload(&generator))
            for symbol in tones.count - damageCount..<tones.count where symbol < other.count {
                tones[symbol] = other[symbol]
            }
        }
        return sound(tones, gains: gains, profile, &generator)
    }

    /// Frames that are right except for the check, which is that of another protocol.
    private static func foreignFrame(_ generator: inout SeededGenerator) -> [Float] {
        let profile = Profile.all[Int.random(in: 0..<3, using: &generator)]
        let pairs = (0..<FrameLayout.token.dataToneCount).map { _ in UInt8.random(in: 0...3, using: &generator) }
        let data = DataTones.onAir(profile.code.encode(pairs), toneBits: profile.code.toneBits)
        return sound(FrameLayout.arranged(sync: profile.syncTones, data), gains: [], profile, &generator)
    }

    private static func sound(
        _ tones: [Int], gains: [Double], _ profile: Profile, _ generator: inout SeededGenerator
    ) -> [Float] {
        let sequence = ToneSequence(
            hertz: tones.map(profile.toneHertz), symbolSeconds: profile.symbolSeconds,
            amplitude: pow(10, generator.number(-2.5 ... -0.8)), gains: gains)
        return sequence.samples(sampleRateHertz: 48_000)
            + [Float](repeating: 0, count: Int(generator.number(0.02...0.4) * 48_000))
    }
}
