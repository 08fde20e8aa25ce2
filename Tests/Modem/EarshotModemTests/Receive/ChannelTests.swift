import EarshotBasics
import EarshotChannel
import EarshotCoding
import EarshotModem
import RealModule
import TestSupport
import Testing

/// Several microphones as one receiver.
@Suite(.optimized) struct ChannelTests {
    private static let count = 96_000

    /// Noise, and a token with this amplitude in each channel, half a second after the beginning.
    private func channels(
        _ amplitudes: [Float], _ payload: Payload, deviation: Float = 0.01, seed: UInt64
    ) throws -> [[Float]] {
        let token = try Transmitter(profile: .standard, sampleRateHertz: 48_000).samples(payload, amplitude: 1)
        return amplitudes.enumerated().map { number, amplitude in
            var noise = WhiteNoise(seed: seed + UInt64(number))
            return (0..<Self.count).map { index in
                let place = index - 24_000
                return deviation * noise.next() + (token.indices.contains(place) ? amplitude * token[place] : 0)
            }
        }
    }

    private func frames(_ channels: [[Float]], blockCount: () -> Int = { 4_096 }) throws -> [ReceivedFrame] {
        var receiver = try Receiver(sampleRateHertz: 48_000, channelCount: channels.count)
        var frames: [ReceivedFrame] = []
        var first = 0
        while first < channels[0].count {
            let end = min(first + blockCount(), channels[0].count)
            let block = (first..<end).flatMap { index in channels.map { $0[index] } }
            receiver.push(block.span) { frames.append($0) }
            first = end
        }
        receiver.flush { frames.append($0) }
        return frames
    }

    /// Any number of copies of a channel, and silent channels before and after it, change only the channel's number.
    @Test func copiesAndSilenceChangeNothing() throws {
        let payload = Payload.token(seed: 61)
        let channel = try channels([0.1], payload, seed: 61)[0]
        let silence = [Float](repeating: 0, count: Self.count)
        let alone = try frames([channel])
        #expect(alone.map(\.payload) == [payload] && alone[0].channel == 0, "seed 61")
        for others in [
            [channel, channel], [channel, channel.map { $0 * 0.4 }], [channel, silence],
            [channel, channel, channel, channel],
        ] {
            #expect(try frames(others) == alone, "\(others.count) channels, seed 61")
        }
        var second = alone
        for index in second.indices { second[index].channel = 1 }
        #expect(try frames([silence, channel]) == second, "seed 61")
    }

    /// Microphones in another order receive the same frames with other numbers. Each frame names its
    /// best channel, and has that channel's SNR.
    @Test func theOrderDoesNotMatter() throws {
        let payload = Payload.token(seed: 62)
        let heard = try channels([0.03, 0.1, 0.05], payload, deviation: 0.1, seed: 62)
        let (one, other) = try (frames(heard), frames([heard[1], heard[2], heard[0]]))
        #expect(one.map(\.payload) == [payload] && other.map(\.payload) == [payload], "seed 62")
        guard one.count == 1, other.count == 1 else { return }
        #expect(one[0].channel == 1 && other[0].channel == 0, "seed 62")
        #expect(abs(one[0].startSample - other[0].startSample) <= 48, "seed 62")
        #expect(abs(one[0].snrDecibels - other[0].snrDecibels) < 0.3, "seed 62")
    }

    /// Any split of the input gives the same, and a hole is common to all channels.
    @Test func doesNotDependOnTheBlocks() throws {
        let heard = try channels([0.05, 0.1], Payload.token(seed: 63), deviation: 0.1, seed: 63)
        let whole = try frames(heard)
        #expect(whole.count == 1, "seed 63")
        for seed in UInt64(1)...3 {
            var random = SeededGenerator(seed: seed)
            #expect(try frames(heard) { Int.random(in: 1...700, using: &random) } == whole, "seed \(seed)")
        }
        var receiver = try Receiver(sampleRateHertz: 48_000, channelCount: 2)
        var found: [ReceivedFrame] = []
        for pass in 0..<2 {
            let block = (0..<Self.count).flatMap { index in heard.map { $0[index] } }
            receiver.push(block.span) { found.append($0) }
            if pass == 0 { receiver.skip(5_000_001) { found.append($0) } }
        }
        receiver.flush { found.append($0) }
        #expect(found.map(\.payload) == [Payload.token(seed: 63), Payload.token(seed: 63)], "seed 63")
        #expect(receiver.statistics.samples == 2 * Self.count && receiver.statistics.skippedSamples == 5_000_001)
        if found.count == 2 {
            #expect(abs(found[1].startSample - found[0].startSample - Self.count - 5_000_001) <= 24, "seed 63")
        }
    }

    /// Two microphones decode what neither decodes alone: at −11 dB each alone decodes 26 % of `standard` tokens (1,000
    /// trials), and both together 94 % (300 trials). Fewer than 13 of 20 together have a probability of 10⁻⁵, and more
    /// than 20 of 40 alone one of 2·10⁻⁴.
    @Test func twoHearWhatNeitherHears() throws {
        let sigma = WhiteNoise.deviation(amplitude: 0.1, snrDecibels: -11, sampleRateHertz: 48_000)
        var (together, alone) = (0, 0)
        for seed in UInt64(0)..<20 {
            let payload = Payload.token(seed: 640 + seed)
            let heard = try channels([0.1, 0.1], payload, deviation: sigma, seed: 640 + 2 * seed)
            together += try frames(heard).contains { $0.payload == payload } ? 1 : 0
            for channel in heard { alone += try frames([channel]).contains { $0.payload == payload } ? 1 : 0 }
        }
        #expect(together >= 13 && alone <= 20, "\(together) together, \(alone) alone, seeds 640 to 679")
    }

    /// Garbage in one channel does not stop the other from decoding.
    @Test func garbageInOneChannelDoesNotHurt() throws {
        let garbage: [(String, @Sendable (Int) -> Float)] = [
            ("NaN", { _ in .nan }), ("infinity", { _ in .infinity }), ("constant", { _ in 1 }),
            ("largest", { $0 % 2 == 0 ? .greatestFiniteMagnitude : -.greatestFiniteMagnitude }),
            ("denormal", { _ in .leastNonzeroMagnitude }), ("square at 19,200 Hz", { $0 * 4 / 5 % 2 == 0 ? 1 : -1 }),
            ("impulses", { $0 % 12_000 == 0 ? 1 : 0 }),
        ]
        let payload = Payload.token(seed: 65)
        let channel = try channels([0.1], payload, deviation: 0.05, seed: 65)[0]
        for (name, sample) in garbage {
            let other = (0..<Self.count).map(sample)
            for (number, pair) in [[channel, other], [other, channel]].enumerated() {
                let found = try frames(pair)
                #expect(found.map(\.payload) == [payload], "\(name) in channel \(1 - number), seed 65")
                #expect(found.allSatisfy { $0.snrDecibels.isFinite && $0.pathMetric.isFinite }, "\(name)")
                #expect(found.allSatisfy { $0.channel == number }, "\(name) in channel \(1 - number), seed 65")
            }
        }
    }

    /// Two talkers at once, each close to another microphone: both decode, each with its microphone.
    @Test func eachTalkerHasItsMicrophone() throws {
        let (first, second) = (Payload.token(seed: 66), Payload.token(seed: 67))
        let near = try channels([0.2, 0.02], first, seed: 66)
        let far = try channels([0.02, 0.2], second, deviation: 0, seed: 68)
        let heard = zip(near, far).map { a, b in a.indices.map { a[$0] + b[max($0 - 9_000, 0)] } }
        let found = try frames(heard)
        #expect(Set(found.map(\.payload)) == [first, second] && found.count == 2, "seeds 66 to 68")
        for frame in found { #expect(frame.channel == (frame.payload == first ? 0 : 1), "seeds 66 to 68") }
    }

    /// A bank combines up to eight channels into one receiver. It receives more than eight
    /// separately, and any number if asked.
    @Test(arguments: [(2, false, 1), (8, false, 1), (9, false, 9), (2, true, 2)])
    func aBankGroupsChannels(row: (channelCount: Int, separate: Bool, eventCount: Int)) throws {
        let payload = Payload.token(seed: 69)
        let heard = try channels([Float](repeating: 0.1, count: row.channelCount), payload, seed: 69)
        let bank = try ReceiverBank(
            channelCount: row.channelCount, separate: row.separate, sampleRateHertz: 48_000, profiles: [.standard])
        var found: [(Int, ReceivedFrame)] = []
        let blockCount = ReceiverBank.blockFrameCount(channelCount: row.channelCount)
        for first in stride(from: 0, to: Self.count, by: blockCount) {
            let end = min(first + blockCount, Self.count)
            let block = (first..<end).flatMap { index in heard.map { $0[index] } }
            bank.push(block.span) { found.append(($0, $1)) }
        }
        bank.flush { found.append(($0, $1)) }
        #expect(found.count == row.eventCount && found.allSatisfy { $0.1.payload == payload }, "seed 69")
        #expect(found.allSatisfy { $0.0 == $0.1.channel } && Set(found.map(\.0)).count == row.eventCount, "seed 69")
    }
}
