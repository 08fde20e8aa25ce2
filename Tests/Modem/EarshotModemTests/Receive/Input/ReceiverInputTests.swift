import EarshotBasics
import EarshotDSP
import TestSupport
import Testing

@testable import EarshotModem

/// Interleaved channels become the histories that each channel alone has.
@Suite(.optimized) struct ReceiverInputTests {
    private func input(channelCount: Int) -> ReceiverInput {
        ReceiverInput(
            sampleRateHertz: 48_000, channelCount: channelCount, profiles: Profile.all, keptCount: 4_096,
            heardCount: 4_096)
    }

    private func samples(_ history: BasebandHistory) -> [ComplexSample] {
        history.withSamples(from: 0, count: history.endIndex) { x in x.indices.map { x[$0] } }
    }

    /// For any number of channels, floats and integers, blocks of any size, and quanta one by one or in bulk.
    @Test(arguments: [1, 2, 3, 8]) func channelsComeApart(channelCount: Int) {
        var random = SeededGenerator(seed: 51)
        let frameCount = 24_000
        let integers = (0..<channelCount).map { _ in
            (0..<frameCount).map { _ in Int16.random(in: -20_000...20_000, using: &random) }
        }
        let all = (0..<frameCount).flatMap { frame in integers.map { $0[frame] } }
        let floats = all.map { Float($0) * 0x1p-15 }
        let expected = integers.map { channel -> [ComplexSample] in
            var one = BasebandInput(sampleRateHertz: 48_000, profiles: Profile.all, keptCount: 4_096, heardCount: 4_096)
            for first in stride(from: 0, to: frameCount, by: 480) {
                one.take(channel.span.extracting(first..<first + 480))
                while one.appendQuantum() { _ = one.cancelPilots() }
            }
            return samples(one.history)
        }
        for (isFloat, blockLength, index) in [(false, 480, 0), (false, 97, .max), (true, 480, .max), (true, 1, 0)] {
            var input = input(channelCount: channelCount)
            for first in stride(from: 0, to: frameCount, by: blockLength) {
                let range = channelCount * first..<channelCount * min(first + blockLength, frameCount)
                if isFloat {
                    input.take(floats.span.extracting(range))
                } else {
                    input.take(all.span.extracting(range))
                }
                while input.appendQuanta(before: index) { _ = input.cancelPilots() }
            }
            for channel in 0..<channelCount {
                #expect(
                    samples(input.histories[channel]) == expected[channel],
                    "channel \(channel) of \(channelCount), blocks of \(blockLength), seed 51")
            }
        }
    }

    /// A hole has the same length in all channels, and passes in all of them at once.
    @Test func holesAreCommon() {
        var input = input(channelCount: 2)
        input.skip(4_800)
        while input.appendQuanta(before: .max) { _ = input.passOverHole() }
        #expect(input.histories[0].endIndex == input.histories[1].endIndex)
        #expect(input.histories[0].lostTailCount == 300 && input.histories[1].lostTailCount == 300)
        input.skip(480_000_000)
        while input.appendQuanta(before: 0) { _ = input.passOverHole() }
        // The hole has 30 million samples of baseband; the indices do not advance in most of it.
        #expect(input.histories[0].endIndex == input.histories[1].endIndex && input.histories[0].endIndex < 20_000)
    }

    /// A channel that repeats another one is a copy, also when quanta come in bulk.
    @Test func copiesAreNoted() {
        var random = SeededGenerator(seed: 52)
        var input = input(channelCount: 2)
        let first = random.samples(120_000)
        let second = random.samples(12_000) + first[12_000...]
        let all = zip(first, second).flatMap { [$0, $1] }
        for start in stride(from: 0, to: all.count, by: 960) {
            input.take(all.span.extracting(start..<start + 960))
            while input.appendQuanta(before: .max) {}
        }
        let end = input.histories.endIndex
        // The comparison forgets the past: e^−1 of it is left after 1,024 samples.
        #expect(!input.histories.isCopy(1, since: 700) && input.histories.isCopy(1, since: end - 1_500), "seed 52")
    }

    /// The caller hears of every stretch of whole quanta, for blocks of any size, whether a
    /// block ends with a quantum or within one.
    @Test(arguments: [512, 700, 1_024, 2_048, 3_000, 4_096]) func noQuantumPassesUnnoticed(blockLength: Int) {
        var random = SeededGenerator(seed: 53)
        var input = input(channelCount: 1)
        let samples = random.samples(10 * 4_096)
        var noticedEnd = 0
        for first in stride(from: 0, to: samples.count, by: blockLength) {
            input.take(samples.span.extracting(first..<min(first + blockLength, samples.count)))
            while input.appendQuanta(before: .max) {
                noticedEnd = input.histories.endIndex
                _ = input.cancelPilots()
            }
            let end = input.histories.endIndex
            #expect(noticedEnd == end - end % BasebandFormat.quantum, "blocks of \(blockLength), seed 53")
        }
    }
}
