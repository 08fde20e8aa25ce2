import EarshotBasics
import EarshotChannel
import EarshotCoding
import EarshotModem

/// The reports of some minutes.
struct RecognitionCount: Sendable {
    /// Frames of the talkers.
    var sentCount = 0
    /// Reports that were decoded.
    var decodedCount = 0
    /// Reports of recognised tokens that were sent there.
    var recognisedCount = 0
    /// Reports of recognised tokens that were not sent there.
    var falseCount = 0

    /// Adds the reports of another minute.
    mutating func add(_ other: RecognitionCount) {
        sentCount += other.sentCount
        decodedCount += other.decodedCount
        recognisedCount += other.recognisedCount
        falseCount += other.falseCount
    }
}

/// A minute in which ten tokens are sent once, and then only those of some other talkers; from a seed.
struct RecognitionMinute {
    /// The number of devices that talk from the tenth second on, one frame after the other.
    var talkerCount: Int
    /// Whether the tokens are 0…01, 0…02 and so on.
    var isAlike: Bool
    var seed: UInt64

    private static let knownCount = 10
    private static let rate = 48_000
    private static let amplitude: Float = 0.05

    /// Plays the minute to a receiver.
    /// - Throws: `ModemError` if a receiver cannot be made.
    func listen() throws -> RecognitionCount {
        var generator = SeededGenerator(seed: seed)
        let tokens = (0..<Self.knownCount + talkerCount).map { token($0, &generator) }
        let talks = talks(&generator)
        let sound = try sound(talks, tokens, noiseSeed: generator.next())
        var receiver = try Receiver(sampleRateHertz: Self.rate, recognisesTokens: true)
        var frames: [ReceivedFrame] = []
        for first in stride(from: 0, to: sound.count, by: 4_800) {
            receiver.push(sound.span.extracting(first..<min(first + 4_800, sound.count))) { frames.append($0) }
        }
        receiver.flush { frames.append($0) }
        var count = RecognitionCount()
        count.sentCount = talks.count - Self.knownCount
        for frame in frames {
            // A recognised frame's start is known to a quarter of a symbol, a decoded one's better.
            let isRight = talks.contains {
                tokens[$0.index] == frame.payload && abs($0.sample - frame.startSample) < 960
            }
            if !frame.isRecognised {
                count.decodedCount += 1
            } else if isRight {
                count.recognisedCount += 1
            } else {
                count.falseCount += 1
            }
        }
        return count
    }

    private func token(_ index: Int, _ generator: inout SeededGenerator) -> Payload {
        let random = (0..<Payload.tokenCount).map { _ in UInt8(truncatingIfNeeded: generator.next()) }
        let bytes = isAlike ? [0, 0, 0, 0, 0, 0, 0, UInt8(index + 1)] : random
        guard let token = try? Payload(bytes) else { preconditionFailure("\(bytes.count) bytes are no token") }
        return token
    }

    /// The time at which each token is sent, in samples.
    private func talks(_ generator: inout SeededGenerator) -> [(index: Int, sample: Int)] {
        var talks = (0..<Self.knownCount).map { (index: $0, sample: Self.rate / 5 + $0 * Self.rate) }
        let frameSeconds = Profile.fast.frameSeconds(payloadByteCount: Payload.tokenCount)
        for talker in 0..<talkerCount {
            var seconds = 11 + Double(generator.uniform()) * frameSeconds
            while seconds < 59 {
                talks.append((Self.knownCount + talker, Int(seconds * Double(Self.rate))))
                seconds += frameSeconds * (1 + 0.5 * Double(generator.uniform()))
            }
        }
        return talks
    }

    private func sound(
        _ talks: [(index: Int, sample: Int)], _ tokens: [Payload], noiseSeed: UInt64
    ) throws -> [Float] {
        let transmitter = try Transmitter(profile: .fast, sampleRateHertz: Self.rate)
        let frames = tokens.map { transmitter.samples($0, amplitude: Self.amplitude) }
        var sound = [Float](repeating: 0, count: 60 * Self.rate)
        var noise = WhiteNoise(seed: noiseSeed)
        noise.add(
            to: &sound,
            deviation: WhiteNoise.deviation(
                amplitude: Self.amplitude, snrDecibels: 20, sampleRateHertz: Self.rate))
        for talk in talks {
            for (offset, sample) in frames[talk.index].enumerated() where talk.sample + offset < sound.count {
                sound[talk.sample + offset] += sample
            }
        }
        return sound
    }
}
