public import EarshotBasics
import EarshotChannel
import EarshotCoding
public import EarshotModem
import Foundation

/// Sound that costs a receiver as much as possible and may hold no token: several simultaneous streams of tones.
public struct HostileSound: Sendable, CustomStringConvertible {
    /// The tones after a stream's sync patterns.
    public enum Content: Sendable, Equatable {
        /// A number of random tones, from a minimum to a maximum: they repeatedly look like the start of a frame.
        case randomTones(Int, Int)
        /// The header of a payload of `byteCount` bytes, and a quarter of its tones at random.
        case header(byteCount: Int)
        /// A frame of `byteCount` bytes, of whose data tones this share is random.
        case damagedFrame(byteCount: Int, share: Double)
    }

    /// One transmitter.
    public struct Stream: Sendable {
        /// The profile of its tones.
        public var profile: Profile
        /// The tones that follow each sync pattern.
        public var content: Content
        /// The tones' distance from their places, in hertz.
        public var offsetHertz: Double
        /// The amplitude; 1 is that of the loudest possible stream.
        public var amplitude: Double
        /// The start in seconds; before it the stream has other tones.
        public var startSeconds: Double

        /// A transmitter of these tones.
        public init(
            profile: Profile, content: Content, offsetHertz: Double, amplitude: Double, startSeconds: Double
        ) {
            (self.profile, self.content, self.offsetHertz) = (profile, content, offsetHertz)
            (self.amplitude, self.startSeconds) = (amplitude, startSeconds)
        }
    }

    /// The streams, 1 to 8.
    public var streams: [Stream]
    /// The power of white noise in 1,500 Hz over that of a stream of amplitude 1, in decibels.
    public var noiseDecibels: Double
    /// The seed of tones, payloads and noise.
    public var seed: UInt64

    /// A sound of these streams.
    public init(streams: [Stream], noiseDecibels: Double, seed: UInt64) {
        (self.streams, self.noiseDecibels, self.seed) = (streams, noiseDecibels, seed)
    }

    /// A random sound.
    public init(using random: inout SeededGenerator) {
        self.init(streams: [], noiseDecibels: Double.random(in: -60...0, using: &random), seed: random.next())
        // Half of the sounds have only one kind of stream, because those cost most.
        let model = Stream.random(using: &random)
        let isUniform = Bool.random(using: &random)
        for _ in 0..<Int.random(in: 1...8, using: &random) {
            var stream = Stream.random(using: &random)
            if isUniform { (stream.profile, stream.content) = (model.profile, model.content) }
            streams.append(stream)
        }
    }

    /// The same sound with one random change.
    public func changed(using random: inout SeededGenerator) -> HostileSound {
        var sound = self
        let index = Int.random(in: streams.indices, using: &random)
        let other = Stream.random(using: &random)
        switch Int.random(in: 0..<8, using: &random) {
        case 0: if streams.count < 8 { sound.streams.append(streams[index]) }
        case 1: if streams.count > 1 { sound.streams.remove(at: index) }
        case 2: for each in streams.indices { sound.streams[each].content = other.content }
        case 3: sound.streams[index].content = other.content
        case 4: sound.streams[index].offsetHertz = other.offsetHertz
        case 5: sound.streams[index].amplitude = other.amplitude
        case 6: for each in streams.indices { sound.streams[each].profile = other.profile }
        default: sound.noiseDecibels = Double.random(in: -60...0, using: &random)
        }
        return sound
    }

    /// The sound, which never reaches full scale.
    /// - Parameters:
    ///   - seconds: its length.
    ///   - sampleRateHertz: samples a second.
    public func samples(seconds: Double, sampleRateHertz: Int) -> [Float] {
        var random = SeededGenerator(seed: seed)
        var samples = [Float](repeating: 0, count: Int(seconds * Double(sampleRateHertz)))
        let unit = 0.9 / Float(streams.count + 1)
        for stream in streams {
            stream.add(to: &samples, amplitude: unit * Float(stream.amplitude), sampleRateHertz, using: &random)
        }
        var noise = WhiteNoise(seed: random.next())
        // Noise of 0 dB may exceed full scale, so it is limited to a quarter of it.
        let deviation = WhiteNoise.deviation(
            amplitude: unit, snrDecibels: -noiseDecibels, sampleRateHertz: sampleRateHertz)
        noise.add(to: &samples, deviation: min(deviation, 0.25))
        return samples
    }

    /// Its streams and its noise, for a table.
    public var description: String {
        let kinds = streams.map { stream in
            let content =
                switch stream.content {
                case .randomTones(let low, let high): "patterns + \(low)–\(high) tones"
                case .header(let count): "headers of \(count) bytes"
                case .damagedFrame(let count, let share): "frames of \(count) bytes, \(Int(100 * share)) % damaged"
                }
            return "\(stream.profile.name) \(content)"
        }
        let counts = Dictionary(grouping: kinds) { $0 }.map { "\($0.value.count) × \($0.key)" }.sorted()
        return counts.joined(separator: ", ") + ", noise at \(Int(noiseDecibels)) dB"
    }

    /// Five streams of `fast` sync patterns with up to three random tones after each.
    public static let syncPatterns = HostileSound(
        streams: (0..<5).map {
            Stream(
                profile: .fast, content: .randomTones(0, 3), offsetHertz: 17 * Double($0) - 34, amplitude: 1,
                startSeconds: 0.043 * Double($0))
        }, noiseDecibels: -60, seed: 15)
}

extension HostileSound.Stream {
    fileprivate static func random(using random: inout SeededGenerator) -> HostileSound.Stream {
        let byteCount = Int.random(in: 1...32, using: &random)
        let few = Int.random(in: 0...6, using: &random)
        let content: HostileSound.Content =
            switch Int.random(in: 0..<4, using: &random) {
            case 0, 1: .randomTones(few / 2, few)
            case 2: .header(byteCount: byteCount)
            default: .damagedFrame(byteCount: byteCount, share: Double.random(in: 0...0.6, using: &random))
            }
        return HostileSound.Stream(
            profile: Profile.all[Int.random(in: 0..<3, using: &random)], content: content,
            offsetHertz: Double.random(in: -90...90, using: &random),
            amplitude: Double.random(in: 0.1...1, using: &random),
            startSeconds: Double.random(in: 0...1, using: &random))
    }

    /// Adds the stream to the samples, from their first to their last.
    fileprivate func add(
        to samples: inout [Float], amplitude: Float, _ sampleRateHertz: Int, using random: inout SeededGenerator
    ) {
        let symbolLength = profile.symbolSeconds * Double(sampleRateHertz)
        var tones: [Int] = []
        while Double(tones.count) * symbolLength < Double(samples.count) + startSeconds * Double(sampleRateHertz) {
            appendFrame(to: &tones, using: &random)
        }
        var turns = 0.0
        for index in samples.indices {
            let symbol = Int((Double(index) + startSeconds * Double(sampleRateHertz)) / symbolLength)
            samples[index] += amplitude * Float(sin(2 * .pi * turns))
            turns += (profile.toneHertz(tones[symbol]) + offsetHertz) / Double(sampleRateHertz)
            turns -= turns.rounded(.down)
        }
    }

    private func appendFrame(to tones: inout [Int], using random: inout SeededGenerator) {
        switch content {
        case .randomTones(let minimum, let maximum):
            let count = FrameLayout.syncGapToneCount + Int.random(in: minimum...maximum, using: &random)
            let others = randomTones(count, using: &random)
            tones += FrameLayout.arranged(sync: profile.syncTones, others)
        case .header(let byteCount):
            let layout = FrameLayout(payloadByteCount: byteCount)
            let header = (0..<layout.headerToneCount).map { index in
                LengthHeader.tone(index, byteCount: byteCount, toneAlphabet: profile.toneCount)
            }
            let data = randomTones(layout.dataToneCount / 4, using: &random)
            tones += FrameLayout.arranged(sync: profile.syncTones, header + data)
        case .damagedFrame(let byteCount, let share):
            let bytes = (0..<byteCount).map { _ in UInt8.random(in: 0...255, using: &random) }
            guard let payload = try? Payload(bytes) else { preconditionFailure("\(byteCount) bytes are no payload") }
            guard let transmitter = try? Transmitter(profile: profile, sampleRateHertz: 48_000) else { return }
            var frame = transmitter.tones(payload)
            let layout = FrameLayout(payloadByteCount: byteCount)
            for index in 0..<layout.dataToneCount where Double.random(in: 0..<1, using: &random) < share {
                frame[layout.dataPlace(index)] = Int.random(in: 0..<profile.toneCount, using: &random)
            }
            tones += frame
        }
    }

    private func randomTones(_ count: Int, using random: inout SeededGenerator) -> [Int] {
        (0..<count).map { _ in Int.random(in: 0..<profile.toneCount, using: &random) }
    }
}
