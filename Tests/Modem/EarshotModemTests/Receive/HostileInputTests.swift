import EarshotBasics
import EarshotChannel
import EarshotCoding
import TestSupport
import Testing

@testable import EarshotModem

/// With garbage as input, the receiver never crashes, reports no wrong token, and decodes the tokens in it.
@Suite(.optimized) struct HostileInputTests {
    private func frames(in samples: [Float], sampleRateHertz: Int = 48_000) throws -> [ReceivedFrame] {
        var receiver = try Receiver(sampleRateHertz: sampleRateHertz)
        var frames: [ReceivedFrame] = []
        receiver.push(samples.span) { frames.append($0) }
        receiver.flush { frames.append($0) }
        return frames
    }

    private static let garbage: [(String, @Sendable (Int) -> Float)] = [
        ("zeros", { _ in 0 }), ("NaN", { _ in .nan }), ("infinity", { _ in .infinity }),
        ("minus infinity", { _ in -.infinity }),
        ("largest", { $0 % 2 == 0 ? .greatestFiniteMagnitude : -.greatestFiniteMagnitude }),
        ("denormal", { _ in .leastNonzeroMagnitude }), ("constant", { _ in 1 }),
        ("square at 19,200 Hz", { $0 * 4 / 5 % 2 == 0 ? 1 : -1 }), ("square at 1 kHz", { $0 / 24 % 2 == 0 ? 1 : -1 }),
        ("alternating infinities and NaN", { $0 % 3 == 0 ? .nan : $0 % 3 == 1 ? .infinity : -.infinity }),
        ("impulses", { $0 % 12_000 == 0 ? 1 : 0 }),
    ]

    @Test func garbageGivesNothing() throws {
        for (name, sample) in HostileInputTests.garbage {
            let found = try frames(in: (0..<48_000 * 4).map(sample))
            #expect(found.isEmpty, "\(name)")
        }
    }

    /// A token right after garbage is heard, as soon as the noise floor has had two seconds to recover.
    @Test func tokenAfterGarbageIsHeard() throws {
        let payload = try Payload(hex: "0123456789abcdef")
        let token = try Transmitter(sampleRateHertz: 48_000).samples(payload, amplitude: 0.25)
        for (name, sample) in HostileInputTests.garbage {
            var air = (0..<48_000 * 2).map(sample) + [Float](repeating: 0, count: 48_000 * 2) + token
            var noise = WhiteNoise(seed: 3)
            for index in 48_000 * 2..<air.count {
                air[index] += 0.001 * noise.next()
            }
            #expect(try frames(in: air).map(\.payload) == [payload], "\(name)")
        }
    }

    /// If half of all samples are NaN, the token need not decode. If a few are, it must.
    @Test func scatteredNaNs() throws {
        let payload = try Payload(hex: "0123456789abcdef")
        var token = try Transmitter(sampleRateHertz: 48_000).samples(payload, amplitude: 0.25)
        for index in stride(from: 0, to: token.count, by: 97) {
            token[index] = .nan
        }
        #expect(try frames(in: token).map(\.payload) == [payload])
    }

    /// A frame that is cut anywhere may decode or not, but nothing else decodes.
    @Test func cutFrames() throws {
        let payload = try Payload(hex: "0123456789abcdef")
        let token = try Transmitter(sampleRateHertz: 48_000).samples(payload, amplitude: 0.25)
        for count in stride(from: 0, through: token.count, by: 1_777) {
            for piece in [Array(token.prefix(count)), Array(token.suffix(count))] {
                #expect(try frames(in: piece).allSatisfy { $0.payload == payload }, "\(count) samples")
            }
        }
    }

    /// Loud frames of versions 1 and 2 of the air format are not reported: ten tokens and ten payloads of 2 bytes for
    /// each profile, with and without this version's order of the data tones. In this order their path is that of a
    /// real frame, but their check can never match; see `CRC24`.
    @Test(arguments: Profile.all, [UInt8(1), 2]) func framesOfOlderVersionsGiveNothing(profile: Profile, version: UInt8)
        throws
    {
        var random = SeededGenerator(seed: 8)
        var air = [Float](repeating: 0, count: 24_000)
        for number in 0..<10 {
            for byteCount in [8, 2] {
                let frame = Self.frame(
                    ofVersion: version, random.bytes(byteCount), isInterleaved: number % 2 == 1, profile)
                air += frame + [Float](repeating: 0, count: 4_800)
            }
        }
        let amplitude: Float = 0.25
        var noise = WhiteNoise(seed: 9)
        noise.add(
            to: &air, deviation: WhiteNoise.deviation(amplitude: amplitude, snrDecibels: 20, sampleRateHertz: 48_000))
        #expect(try frames(in: air).isEmpty)
    }

    /// A frame with another version in the check. Version 1 did not mix the payload, so each version has frames of any bytes on the air.
    private static func frame(
        ofVersion version: UInt8, _ bytes: [UInt8], isInterleaved: Bool, _ profile: Profile
    ) -> [Float] {
        let check = Reference.crc24([version, UInt8(bytes.count)] + bytes)
        let sent = bytes + [16, 8, 0].map { UInt8(truncatingIfNeeded: check >> $0) }
        let codeword = profile.code.encode(sent.flatMap { [$0 >> 6, $0 >> 4 & 3, $0 >> 2 & 3, $0 & 3] })
        let layout = FrameLayout(payloadByteCount: bytes.count)
        let header = (0..<layout.headerToneCount).map {
            LengthHeader.tone($0, byteCount: bytes.count, toneAlphabet: profile.toneCount)
        }
        let toneBits = profile.code.toneBits
        let data =
            isInterleaved
            ? DataTones.onAir(codeword, toneBits: toneBits)
            : codeword.enumerated().map { ToneScrambler.scramble(Int($1), place: $0, toneBits: toneBits) }
        // In the places of version 3, so that the receiver computes the check.
        let tones = FrameLayout.arranged(sync: profile.syncTones, header + data)
        let synthesizer = ToneSynthesizer(
            toneHertz: tones.map(profile.toneHertz), symbolSeconds: profile.symbolSeconds,
            stepDeviationSeconds: profile.stepDeviationSymbols * profile.symbolSeconds,
            rampSeconds: profile.rampSeconds, sampleRateHertz: 48_000)
        return synthesizer.samples().map { 0.25 * $0 }
    }

    /// White noise, 20 minutes at each of three levels. The long run is `earshot-bench false-tokens`.
    @Test(arguments: [UInt64(1), 2, 3])
    func noiseHoldsNoTokens(seed: UInt64) throws {
        var receiver = try Receiver(sampleRateHertz: 48_000)
        var noise = WhiteNoise(seed: seed)
        var found = 0
        var block = [Float](repeating: 0, count: 4_800)
        for _ in 0..<20 * 60 * 10 {
            for index in block.indices {
                block[index] = 0.01 * Float(seed * seed) * noise.next()
            }
            receiver.push(block.span) { _ in found += 1 }
        }
        #expect(found == 0, "seed \(seed)")
        // Noise must be cheap: 4.1 candidates a second are examined as whole frames (measured, three seeds), and half
        // more would be too many. Hardly any reaches the trellis: 0.1 a second.
        let statistics = receiver.statistics
        let refusedCount = statistics.rejectedByEvidence + statistics.rejectedByCheck
        #expect(statistics.rejectedByPathMetric + refusedCount < 20 * 60 * 6)
        #expect(refusedCount < 20 * 60 / 4)
    }
}
