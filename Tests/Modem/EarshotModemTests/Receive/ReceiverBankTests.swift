import EarshotChannel
import EarshotCoding
import EarshotModem
import TestSupport
import Testing

/// A bank of separate receivers gives the same as one receiver for each of its channels.
@Suite(.optimized) struct ReceiverBankTests {
    private static let channelCount = 3
    private static let holeCount = 6_000

    /// A `fast` token in noise for each channel, at another time; then the same again.
    private func channels() throws -> [[Float]] {
        try (0..<Self.channelCount).map { number in
            let transmitter = try Transmitter(profile: .fast, sampleRateHertz: 48_000)
            var samples = [Float](repeating: 0, count: 48_000)
            var noise = WhiteNoise(seed: UInt64(91 + number))
            noise.add(to: &samples, deviation: 0.002)
            let payload = try Payload([UInt8](repeating: UInt8(17 * number + 1), count: 8))
            for (index, sample) in transmitter.samples(payload, amplitude: 0.1 + 0.1 * Float(number)).enumerated() {
                samples[4_000 + 3_000 * number + index] += sample
            }
            return samples
        }
    }

    /// Pushes blocks of the bank's size, a hole, and blocks again.
    private func bankFrames(
        _ bank: ReceiverBank, _ channels: [[Float]], asIntegers: Bool
    ) -> [[ReceivedFrame]] {
        var frames = [[ReceivedFrame]](repeating: [], count: channels.count)
        let blockCount = ReceiverBank.blockFrameCount(channelCount: channels.count)
        for pass in 0..<2 {
            for first in stride(from: 0, to: channels[0].count, by: blockCount) {
                let end = min(first + blockCount, channels[0].count)
                let block = (first..<end).flatMap { index in channels.map { $0[index] } }
                if asIntegers {
                    let integers = block.map { Int16(($0 * 32_768).rounded()) }
                    bank.push(integers.span) { frames[$0].append($1) }
                } else {
                    bank.push(block.span) { frames[$0].append($1) }
                }
            }
            if pass == 0 { bank.skip(Self.holeCount) { frames[$0].append($1) } }
        }
        bank.flush { frames[$0].append($1) }
        return frames
    }

    /// Frames, counters and levels are those of lone receivers; the bank's counters are their sums, its level the loudest channel's.
    @Test(arguments: [false, true]) func isManyReceivers(asIntegers: Bool) throws {
        // Integers of full scale are exact in both ways.
        let channels = try channels().map { $0.map { ($0 * 32_768).rounded() / 32_768 } }
        let bank = try ReceiverBank(channelCount: channels.count, separate: true, sampleRateHertz: 48_000)
        let found = bankFrames(bank, channels, asIntegers: asIntegers)
        let meter = BandMeter()
        var sums: [String: Int] = [:]
        var loudest = -Double.infinity
        for (number, channel) in channels.enumerated() {
            var receiver = try Receiver(sampleRateHertz: 48_000)
            var frames: [ReceivedFrame] = []
            receiver.push(channel.span) { frames.append($0) }
            receiver.skip(Self.holeCount) { frames.append($0) }
            receiver.push(channel.span) { frames.append($0) }
            receiver.flush { frames.append($0) }
            for index in frames.indices { frames[index].channel = number }
            #expect(found[number] == frames && frames.count == 2, "channel \(number), seed \(91 + number)")
            for child in Mirror(reflecting: receiver.statistics).children {
                sums[child.label ?? "", default: 0] += child.value as? Int ?? .min
            }
            #expect(receiver.statistics.samples == 2 * channel.count)
            #expect(receiver.statistics.skippedSamples == Self.holeCount && receiver.statistics.frames == 2)
            loudest = max(loudest, meter.bandDecibels(receiver, seconds: 0.5))
        }
        let counters = Mirror(reflecting: bank.statistics).children
        #expect(counters.count == 14 && sums["frames"] == 6)
        for child in counters {
            #expect(sums[child.label ?? ""] == child.value as? Int, "\(child.label ?? "")")
        }
        #expect(bank.bandDecibels(meter, seconds: 0.5) == loudest)
    }

    /// One channel is enough for the bank to expect a frame, until the frame ends.
    @Test func oneChannelIsEnough() throws {
        var channels = try channels()
        channels[0] = [Float](repeating: 0, count: 48_000)
        channels[1] = channels[0]
        let bank = try ReceiverBank(channelCount: channels.count, separate: true, sampleRateHertz: 48_000)
        let blockCount = ReceiverBank.blockFrameCount(channelCount: channels.count)
        var (expectedCount, receivedCount, frameCount) = (0, 0, 0)
        for first in stride(from: 0, to: 48_000, by: blockCount) {
            let end = min(first + blockCount, 48_000)
            let block = (first..<end).flatMap { index in channels.map { $0[index] } }
            bank.push(block.span) { channel, _ in frameCount += channel == 2 ? 1 : 0 }
            // The token lasts from 10,000 to 36,624.
            if (20_000..<33_000).contains(end) {
                expectedCount += bank.isExpecting ? 1 : 0
                receivedCount += bank.isReceiving ? 1 : 0
            }
        }
        #expect(expectedCount >= 2 && receivedCount >= 2, "\(expectedCount) and \(receivedCount)")
        #expect(frameCount == 1 && !bank.isReceiving)
    }
}
