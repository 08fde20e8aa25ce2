import EarshotBasics
import EarshotChannel
import EarshotCoding
import EarshotLoopback
import EarshotModem
import TestSupport
import Testing

/// The receiver as a stream: any blocks, each frame once, in its place.
@Suite(.optimized) struct StreamingTests {
    /// Several frames of all profiles in light noise, some overlapping.
    private func busyAir() throws -> (samples: [Float], payloads: [(Payload, Profile)]) {
        var air = [Float](repeating: 0, count: 48_000 * 9)
        var noise = WhiteNoise(seed: 5)
        noise.add(to: &air, deviation: 0.02)
        var sent: [(Payload, Profile)] = []
        let places: [(String, Profile, Int)] = [
            ("0123456789abcdef", .standard, 10_000), ("00", .fast, 30_000), ("fedcba9876543210", .far, 80_000),
            ("68656c6c6f20776f726c6421", .standard, 200_000), ("1122334455667788", .fast, 230_000),
            ("aabbccddeeff0011", .standard, 290_003),
        ]
        for (hex, profile, start) in places {
            let payload = try Payload(hex: hex)
            let frame = try Transmitter(profile: profile, sampleRateHertz: 48_000).samples(payload, amplitude: 0.2)
            for index in frame.indices {
                air[start + index] += frame[index]
            }
            sent.append((payload, profile))
        }
        return (air, sent)
    }

    private func receive(_ samples: [Float], cut: (Int) -> Int) throws -> ([ReceivedFrame], ReceiverStatistics) {
        var receiver = try Receiver(sampleRateHertz: 48_000)
        var frames: [ReceivedFrame] = []
        var first = 0
        while first < samples.count {
            let count = min(cut(first), samples.count - first)
            receiver.push(samples.span.extracting(first..<first + count)) { frames.append($0) }
            first += count
        }
        receiver.flush { frames.append($0) }
        return (frames, receiver.statistics)
    }

    @Test func findsEveryFrameOnce() throws {
        let (samples, sent) = try busyAir()
        let (frames, statistics) = try receive(samples) { _ in 4_096 }
        for (payload, profile) in sent {
            let hits = frames.count { $0.payload == payload && $0.profileName == profile.name }
            #expect(hits == 1, "\(payload) in \(profile.name)")
        }
        #expect(frames.count == sent.count)
        #expect(statistics.frames == sent.count)
        #expect(statistics.samples == samples.count)
    }

    @Test(arguments: UInt64(1)...6)
    func doesNotDependOnTheBlocks(seed: UInt64) throws {
        let (samples, _) = try busyAir()
        let (whole, wholeStatistics) = try receive(samples) { _ in samples.count }
        var generator = SeededGenerator(seed: seed)
        // From 0 and 1 sample to a few hundred; the last seeds take larger ones.
        let largest = seed < 4 ? 20 : 5_000
        var zeroRun = 0
        let (pieces, statistics) = try receive(samples) { _ in
            let count = Int.random(in: 0...largest, using: &generator)
            zeroRun = count == 0 ? zeroRun + 1 : 0
            return zeroRun > 3 ? 1 : count
        }
        #expect(pieces == whole, "seed \(seed)")
        #expect(statistics == wholeStatistics, "seed \(seed)")
    }

    /// Integers give the same as equal floats, for any number of channels.
    @Test(arguments: [1, 2])
    func integersGiveTheSame(channelCount: Int) throws {
        let integers = try busyAir().samples.flatMap { sample in
            (0..<channelCount).map { Int16((sample * 30_000).rounded() / Float($0 + 1)) }
        }
        let floats = integers.map { Float($0) / 32_768 }
        var (ofIntegers, ofFloats): ([ReceivedFrame], [ReceivedFrame]) = ([], [])
        let first = try ReceiverBank(channelCount: channelCount, sampleRateHertz: 48_000)
        let second = try ReceiverBank(channelCount: channelCount, sampleRateHertz: 48_000)
        let blockCount = ReceiverBank.blockFrameCount(channelCount: channelCount) * channelCount
        for start in stride(from: 0, to: integers.count, by: blockCount) {
            let block = start..<min(start + blockCount, integers.count)
            first.push(integers.span.extracting(block)) { ofIntegers.append($1) }
            second.push(floats.span.extracting(block)) { ofFloats.append($1) }
        }
        #expect(ofIntegers.count >= 5)
        #expect(ofIntegers.map(String.init(describing:)) == ofFloats.map(String.init(describing:)))
    }

    @Test func singleSamplesGiveTheSame() throws {
        let (samples, _) = try busyAir()
        let (whole, _) = try receive(samples) { _ in samples.count }
        let (single, _) = try receive(samples) { _ in 1 }
        #expect(single == whole)
    }

    /// The same token twice, end to end: two events, in their places.
    @Test(arguments: Profile.all)
    func sameTokenTwiceIsTwoFrames(_ profile: Profile) throws {
        let payload = try Payload(hex: "0123456789abcdef")
        let frame = try Transmitter(profile: profile, sampleRateHertz: 48_000).samples(payload, amplitude: 0.3)
        var noise = WhiteNoise(seed: 9)
        var air = [Float](repeating: 0, count: 5_000) + frame + frame + [Float](repeating: 0, count: 20_000)
        noise.add(to: &air, deviation: 0.01)
        let (frames, _) = try receive(air) { _ in 1_000 }
        #expect(frames.map(\.payload) == [payload, payload])
        try #require(frames.count == 2)
        #expect(abs(frames[0].startSample - 5_000) < 100)
        #expect(abs(frames[1].startSample - 5_000 - frame.count) < 100)
    }

    /// A frame that ends with the input needs `flush`. Digital silence surrounds it, without any noise.
    @Test(arguments: Profile.all)
    func flushReportsTheLastFrame(_ profile: Profile) throws {
        let payload = try Payload([7])
        let frame = try Transmitter(profile: profile, sampleRateHertz: 48_000).samples(payload)
        let (frames, _) = try receive(frame) { _ in 4_096 }
        #expect(frames.map(\.payload) == [payload])
    }

    /// The event comes with at most 60 ms (`far` 120 ms) of audio after the frame's last sample.
    @Test(arguments: zip(Profile.all, [0.060, 0.060, 0.120]))
    func reportsSoonAfterTheLastSample(_ profile: Profile, seconds: Double) throws {
        let frame = try Transmitter(profile: profile, sampleRateHertz: 48_000)
            .samples(Payload(hex: "0123456789abcdef"), amplitude: 0.3)
        var air = [Float](repeating: 0, count: 5_000) + frame + [Float](repeating: 0, count: 20_000)
        var noise = WhiteNoise(seed: 10)
        noise.add(to: &air, deviation: 0.01)
        var receiver = try Receiver(sampleRateHertz: 48_000)
        var reportedAt: Int?
        for first in stride(from: 0, to: air.count - 48, by: 48) {
            receiver.push(air.span.extracting(first..<first + 48)) { _ in reportedAt = first + 48 }
        }
        let delay = try #require(reportedAt) - 5_000 - frame.count
        #expect(Double(delay) / 48_000 <= seconds, "\(delay) samples")
    }

    @Test func rejectsRatesThatCannotCarryTheBand() {
        #expect(throws: ModemError.sampleRateTooLow(hertz: 32_000)) { _ = try Receiver(sampleRateHertz: 32_000) }
        #expect(throws: ModemError.sampleRateTooHigh(hertz: 4_000_000)) { _ = try Receiver(sampleRateHertz: 4_000_000) }
    }
}
