import EarshotBasics
import EarshotChannel
import EarshotCoding
import TestSupport
import Testing

@testable import EarshotModem

/// Tokens that decode once and are too quiet to decode afterwards, in white noise with fixed seeds.
@Suite(.optimized) struct TokenRecognitionTests {
    private static let rate = 48_000
    private static let amplitude: Float = 0.05

    /// Tokens, each at its time and level, in white noise.
    private static func sound(
        _ talks: [(token: Payload, seconds: Double, snrDecibels: Double)], seconds: Double, seed: UInt64,
        profile: Profile = .fast
    ) throws -> [Float] {
        var sound = [Float](repeating: 0, count: Int(seconds * Double(rate)))
        var noise = WhiteNoise(seed: seed)
        noise.add(
            to: &sound, deviation: WhiteNoise.deviation(amplitude: amplitude, snrDecibels: 0, sampleRateHertz: rate))
        let transmitter = try Transmitter(profile: profile, sampleRateHertz: rate)
        for talk in talks {
            let frame = transmitter.samples(
                talk.token, amplitude: amplitude * Float(powerRatio(decibels: talk.snrDecibels).squareRoot()))
            let start = Int(talk.seconds * Double(rate))
            for (index, sample) in frame.enumerated() { sound[start + index] += sample }
        }
        return sound
    }

    private static func frames(
        _ sound: [Float], recognises: Bool = true, block: Int = 480
    ) throws -> [ReceivedFrame] {
        var receiver = try Receiver(sampleRateHertz: rate, recognisesTokens: recognises)
        var frames: [ReceivedFrame] = []
        var first = 0
        while first < sound.count {
            let last = min(first + block, sound.count)
            receiver.push(sound.span.extracting(first..<last)) { frames.append($0) }
            first = last
        }
        receiver.flush { frames.append($0) }
        return frames
    }

    private static func tokens(_ count: Int, seed: UInt64) throws -> [Payload] {
        var generator = SeededGenerator(seed: seed)
        return try (0..<count).map { _ in
            try Payload((0..<8).map { _ in UInt8(truncatingIfNeeded: generator.next()) })
        }
    }

    /// Each of 20 tokens decodes once at 10 dB and is sent again at −8 dB, where `fast`, which needs
    /// −6.2 dB for 90 %, hardly ever decodes. At least 18 are recognised. After them comes digital
    /// silence, where all tones are equally loud.
    @Test func whoWasHeardIsRecognised() throws {
        let tokens = try Self.tokens(20, seed: 11)
        var talks: [(token: Payload, seconds: Double, snrDecibels: Double)] = []
        for (index, token) in tokens.enumerated() {
            talks.append((token, 0.3 + 2 * Double(index), 10))
            talks.append((token, 1.3 + 2 * Double(index), -8))
        }
        let sound = try Self.sound(talks, seconds: 42, seed: 12)
        let frames = try Self.frames(sound)
        let quiet = frames.filter { frame in
            talks.contains {
                $0.snrDecibels < 0 && $0.token == frame.payload
                    && abs($0.seconds * Double(Self.rate) - Double(frame.startSample)) < 0.003 * Double(Self.rate)
            }
        }
        #expect(quiet.count >= 18, "\(quiet.count) of 20")
        #expect(quiet.contains { $0.isRecognised })
        // A start that is an eighth of a symbol off takes 1.2 dB; the rest is chance, with 52 tones of twice the noise's energy.
        for frame in quiet where frame.isRecognised { #expect(abs(frame.snrDecibels + 8) < 5, "\(frame.snrDecibels)") }
        // Every reported frame is one of the sent tokens.
        #expect(frames.count == quiet.count + 20)
        #expect(try Self.frames(sound, recognises: false).allSatisfy { !$0.isRecognised })
    }

    /// Ten tokens are known for ten minutes, and a louder one is on the air every other second. The receiver recognises
    /// none of the ten once they are gone, in 2 million pairs of a start and a token; see `minimumScore` for the odds.
    @Test func tokensThatAreGoneAreNotRecognised() throws {
        let tokens = try Self.tokens(10, seed: 21)
        let other = try Self.tokens(1, seed: 22)[0]
        var talks: [(token: Payload, seconds: Double, snrDecibels: Double)] = []
        for minute in 0..<10 {
            for second in 0..<59 {
                let begin = Double(60 * minute + second)
                talks.append((second < 10 ? tokens[second] : other, begin + 0.1, 10))
            }
        }
        let frames = try Self.frames(try Self.sound(talks, seconds: 600, seed: 23))
        #expect(frames.filter(\.isRecognised) == [])
        #expect(frames.count == talks.count)
    }

    /// Sixty silent tokens are known, and the frames of twenty others begin where recognition looks. All frames have the sync pattern in
    /// common, which alone lifts z to 3.0, 3.6 and 4.3 (`fast`, `standard`, `far`): with z alone 0.08, 0.7 and 4.4 of the 1,200 pairs would be
    /// taken for a known token (by simulated ranks), with the condition on the data tones 0.002.
    @Test(arguments: Profile.all, [false, true])
    func theSyncPatternOfAnotherIsNoToken(profile: Profile, isAlike: Bool) throws {
        let format = BasebandFormat(profile: profile)
        func token(_ number: Int) throws -> Payload {
            try isAlike ? Payload([0, 0, 0, 0, 0, 0, 0, UInt8(number)]) : .token(seed: UInt64(number))
        }
        let pitch = 80 * format.samplesPerSymbol
        var scene = BasebandScene(count: 22 * pitch, snrDecibels: 20, seed: 61)
        for other in 0..<20 {
            let tones = FrameTones.tones(of: try token(200 + other), profile: profile)
            scene.add(tones, profile, start: Double((other + 1) * pitch))
        }
        var recognition = TokenRecognition(format)
        for known in 1...60 {
            let token = try token(known)
            recognition.note(token, tones: FrameTones.tones(of: token, profile: profile), at: 0)
        }
        let samples = scene.samples
        let history = BasebandHistory(keptCount: samples.count + 4_096)
        let heard = ChannelHistories([history])
        var found: [Payload] = []
        for first in stride(from: 0, to: samples.count, by: 256) {
            history.append(samples, first..<min(first + 256, samples.count))
            recognition.look(heard, besides: RecentFrames()) { found.append($0.payload) }
        }
        #expect(found.isEmpty, "\(found), seed 61")
    }

    /// A minute later, the receiver has forgotten a token.
    @Test func aTokenIsForgottenAfterAMinute() throws {
        let token = try Self.tokens(1, seed: 31)[0]
        for (pause, isKnown) in [(55.0, true), (65.0, false)] {
            // Twice, since one may be missed.
            let quiet = (0..<2).map { (token: token, seconds: 1 + pause + Double($0), snrDecibels: -9.0) }
            let frames = try Self.frames(
                try Self.sound([(token, 0.3, 10)] + quiet, seconds: pause + 4, seed: 32))
            #expect(frames.contains { $0.isRecognised } == isKnown, "after \(pause) s")
        }
    }

    @Test func blocksOfAnySizeGiveTheSame() throws {
        let tokens = try Self.tokens(2, seed: 41)
        let sound = try Self.sound(
            [
                (tokens[0], 0.2, 10), (tokens[1], 1, 10), (tokens[0], 1.9, -9), (tokens[1], 2.7, -8),
                (tokens[0], 3.5, -9),
            ],
            seconds: 5, seed: 42)
        let whole = try Self.frames(sound, block: sound.count)
        #expect(whole.contains { $0.isRecognised })
        for block in [1_000, 479, 33] { #expect(try Self.frames(sound, block: block) == whole) }
    }

    /// z, compared with a slow version of its definition.
    @Test func theScoreIsTheSumOfTheRanksScores() {
        for toneCount in [16, 32, 64] {
            let scores = TokenRecognition.rankScores(toneCount: toneCount)
            for rank in 1...toneCount {
                var expected = -1.0
                for j in rank...toneCount { expected += 1 / Double(j) }
                #expect(abs(Double(scores[rank - 1]) - expected) < 1e-5)
            }
            #expect(abs(scores.reduce(0, +)) < 1e-4)
        }
    }

    /// If more tokens are decoded than the receiver remembers, the oldest make room. A hole of any length does no harm.
    @Test func memoryIsBounded() throws {
        let format = BasebandFormat(profile: .fast)
        var recognition = TokenRecognition(format)
        for (index, token) in try Self.tokens(200, seed: 51).enumerated() {
            recognition.note(token, tones: FrameTones.tones(of: token, profile: .fast), at: index)
        }
        #expect(recognition.knownCount == TokenRecognition.capacity)
        var receiver = try Receiver(sampleRateHertz: Self.rate, recognisesTokens: true)
        let token = try Self.tokens(1, seed: 52)[0]
        let sound = try Self.sound([(token, 0.2, 10), (token, 1.2, -9), (token, 2, -9)], seconds: 4, seed: 53)
        var starts: [Int] = []
        for _ in 0..<3 {
            receiver.push(sound.span) { starts.append($0.startSample) }
            receiver.skip(Self.rate * 1_000) { starts.append($0.startSample) }
        }
        let period = 1_004 * Self.rate
        #expect(starts.count >= 6)
        for start in starts {
            let place = Double(start % period) / Double(Self.rate)
            #expect([0.2, 1.2, 2].contains { abs($0 - place) < 0.004 }, "\(place) s")
        }
    }
}
