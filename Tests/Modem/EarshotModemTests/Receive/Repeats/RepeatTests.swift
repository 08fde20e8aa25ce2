import EarshotBasics
import EarshotChannel
import EarshotCoding
import EarshotLoopback
import TestSupport
import Testing

@testable import EarshotModem

/// Tokens in bursts, read together; scenes are in white noise and seeds are fixed.
///
/// A receiver as good as the measured one fails a test with a probability P below 10⁻⁴. Measured: 300 trials a row; q
/// is the upper end of the 95 % interval of the share lost (alone: received), and P is Σ C(n, j)·q^j·(1 − q)^(n − j)
/// over every count j above the limit:
///
/// | rows | of 300 | q | may be | P |
/// |---|---|---|---|---|
/// | four, −12.3 dB | 18 lost | 9.3 % | 15 of 60 | 9·10⁻⁵ |
/// | the same, read alone | 8 received | 5.2 % | 11 of 60 | 5·10⁻⁵ |
/// | four, ±0.5 %, −11.8 dB | 4 and 4 lost | 3.4 % | 6 of 30 | 5·10⁻⁵ |
/// | three as four, −10.8 dB | 5 lost | 3.8 % | 7 of 30 | 10⁻⁵ |
/// | six as four, −11.8 dB | 0 lost | 1.2 % | 4 of 30 | 3·10⁻⁵ |
/// | two holes, −11.4 dB | 15 lost | 8.1 % | 18 of 90 | 9·10⁻⁵ |
@Suite(.optimized) struct RepeatTests {
    static func tally(
        _ profile: Profile, burst: Int, combining: Int, snrDecibels: Double, trialCount: Int = 60,
        _ change: (inout AirScene) -> Void = { _ in }
    ) throws -> AirTally {
        var scene = AirScene()
        scene.profile = profile
        scene.burstCount = burst
        scene.combinedCount = combining
        scene.snrDecibels = snrDecibels
        change(&scene)
        return try AirTally.of(scene, trialCount: trialCount, seed: 31)
    }

    /// A frame alone needs −9.2 dB for 90 %. Four repeats, added up, must work at 3 dB less.
    @Test func fourRepeatsGainThreeDecibels() throws {
        let together = try Self.tally(.standard, burst: 4, combining: 4, snrDecibels: -12.3)
        #expect(together.decodedCount >= 45, "\(together)")
        #expect(together.wrongCount == 0)
        let alone = try Self.tally(.standard, burst: 4, combining: 1, snrDecibels: -12.3)
        // By its phases one frame in eighteen decodes alone: 13 of these 60 bursts, ± 3.2.
        // The limit is four deviations more.
        #expect(alone.decodedCount <= 26, "\(alone)")
    }

    /// An offset of 0.5 % moves the fourth repeat by 168 · 0.005 = 0.84 symbols: read at the nominal spacing, its tones
    /// would be those of the symbol before.
    @Test(arguments: [-0.005, 0.005])
    func theSpacingFollowsTheOffset(relativeOffset: Double) throws {
        let tally = try Self.tally(.standard, burst: 4, combining: 4, snrDecibels: -11.8, trialCount: 30) {
            $0.air.relativeOffset = relativeOffset
        }
        #expect(tally.decodedCount >= 24, "\(tally)")
        #expect(tally.wrongCount == 0)
    }

    /// The receiver also decodes bursts that are longer or shorter than the number of repeats it adds up: a missing repeat counts
    /// little. Read one by one, 50 and 9 % of these are received (200 and 100 trials).
    @Test(arguments: [
        (burst: 3, combining: 4, snr: -10.8, minimumCount: 23), (burst: 6, combining: 4, snr: -11.8, minimumCount: 26),
    ])
    func theNumbersNeedNotAgree(row: (burst: Int, combining: Int, snr: Double, minimumCount: Int)) throws {
        let tally = try Self.tally(
            .standard, burst: row.burst, combining: row.combining, snrDecibels: row.snr, trialCount: 30)
        #expect(tally.decodedCount >= row.minimumCount, "\(tally)")
        #expect(tally.wrongCount == 0)
    }

    /// 0.3 s are lost in the second and the fourth frame, 14 of each one's 52 symbols. A lost symbol
    /// is an erasure. Taken for a silent one it would count against its frame by ρ = 2.1 nats, 29 in
    /// all, and both frames would count as missing.
    @Test func lostSymbolsAreErasures() throws {
        var scene = AirScene()
        (scene.burstCount, scene.snrDecibels) = (4, -11.4)
        var (readCount, wrongCount) = (0, 0)
        for seed in UInt64(1)...90 {
            let (samples, payload, start) = try scene.sound(seed: seed)
            var receiver = try Receiver(sampleRateHertz: 48_000, combining: 4)
            var frames: [ReceivedFrame] = []
            // A spacing is 56 · 1,024 samples; the hole is after the pattern.
            let holes = [1, 3].map { start + $0 * 57_344 + 20_000 }
            var first = 0
            for hole in holes {
                receiver.push(samples.span.extracting(first..<hole)) { frames.append($0) }
                receiver.skip(14_400) { frames.append($0) }
                first = hole + 14_400
            }
            receiver.push(samples.span.extracting(first..<samples.count)) { frames.append($0) }
            receiver.flush { frames.append($0) }
            readCount += frames.contains { $0.payload == payload } ? 1 : 0
            wrongCount += frames.count { $0.payload != payload }
        }
        // A receiver that takes lost symbols for silent ones reads 21 of the first 30.
        #expect(readCount >= 72, "\(readCount) of 90")
        #expect(wrongCount == 0)
    }

    /// A receiver that does not combine repeats keeps no scores for them, and no longer history.
    @Test func aReceiverThatDoesNotCombineKeepsNoMore() throws {
        func kept(_ receiver: borrowing Receiver) -> (isSearching: Bool, historyCount: Int) {
            (receiver.search.findsBursts, receiver.input.histories.keptSampleCount)
        }
        let (usual, four) = try (
            kept(Receiver(sampleRateHertz: 48_000)), kept(Receiver(sampleRateHertz: 48_000, combining: 4))
        )
        #expect(!usual.isSearching && four.isSearching)
        // 32 bytes are 154 symbols of `far`; four tokens, 3 · 56 + 52, are more. Both add
        // the samples kept after a frame.
        #expect(usual.historyCount == (154 + 8) * 128)
        #expect(four.historyCount == (3 * 56 + 52 + ToneMetrics.echoSymbolCount + 8) * 128)
    }

    /// Frames that decode alone are reported one by one, with and without combining, and nothing else is.
    @Test(arguments: Profile.all)
    func loudFramesAreReportedOneByOne(profile: Profile) throws {
        let token = try Payload(hex: "0123456789abcdef")
        let (quiet, spacing) = (4_800, Double(56 * profile.toneCount) / 1_500 * 48_000)
        var sound = [Float](repeating: 0, count: quiet)
        sound += try Transmitter(profile: profile, sampleRateHertz: 48_000).burst(token, frameCount: 4, amplitude: 0.25)
        sound += [Float](repeating: 0, count: quiet)
        var generator = SeededGenerator(seed: 7)
        for index in sound.indices {
            sound[index] += 0.02 * (2 * Float(generator.uniform()) - 1)
        }
        for combining in [1, 4] {
            let frames = try Self.receive(sound, combining: combining) { sound.count }
            #expect(frames.map(\.payload) == [Payload](repeating: token, count: 4), "combining \(combining)")
            #expect(frames.allSatisfy { $0.combinedCount == 1 })
            for (index, frame) in frames.enumerated() {
                // A sixteenth of a symbol.
                let distance = abs(Double(frame.startSample - quiet) - Double(index) * spacing)
                #expect(distance <= spacing / 56 / 16, "frame \(index) of \(profile.name)")
            }
        }
    }

    /// A quiet burst is reported once, with the place of its first frame and the end of its last, however it is cut.
    @Test func aQuietBurstIsReportedOnce() throws {
        var scene = AirScene()
        (scene.burstCount, scene.snrDecibels) = (4, -11.8)
        let (samples, payload, startSample) = try scene.sound(seed: 12)
        #expect(try Self.receive(samples, combining: 1) { samples.count }.isEmpty, "it is not quiet")
        let frames = try Self.receive(samples, combining: 4) { samples.count }
        try #require(frames.count == 1)
        #expect(frames[0].payload == payload)
        #expect(frames[0].combinedCount >= 3)
        // A symbol has 1,024 samples; four repeats last 3 · 56 + 52 of them.
        #expect(abs(frames[0].startSample - startSample) <= 256)
        #expect(abs(frames[0].endSample - startSample - 220 * 1_024) <= 256)
        #expect(abs(Double(frames[0].snrDecibels) + 11.8) <= 2)
        var generator = SeededGenerator(seed: 3)
        let pieces = try Self.receive(samples, combining: 4) { Int.random(in: 1...3_000, using: &generator) }
        #expect(pieces == frames)
    }

    /// Ten minutes of noise: bursts are looked for and not found. 24 bits of CRC pass one decoding attempt in 16,777,216.
    @Test func noiseIsNoBurst() throws {
        var receiver = try Receiver(sampleRateHertz: 48_000, combining: 4)
        var noise = Noise(deviation: 0.1, sampleRateHertz: 48_000, seed: 5)
        var tokenCount = 0
        for _ in 0..<600 {
            receiver.push(noise.read(count: 48_000).span) { _ in tokenCount += 1 }
        }
        #expect(tokenCount == 0)
        #expect(receiver.statistics.combinedFrames == 0)
    }

    private static func receive(
        _ samples: [Float], combining: Int, count: () -> Int
    ) throws -> [ReceivedFrame] {
        var receiver = try Receiver(sampleRateHertz: 48_000, combining: combining)
        var frames: [ReceivedFrame] = []
        var first = 0
        while first < samples.count {
            let end = min(first + count(), samples.count)
            receiver.push(samples.span.extracting(first..<end)) { frames.append($0) }
            first = end
        }
        receiver.flush { frames.append($0) }
        return frames
    }
}
