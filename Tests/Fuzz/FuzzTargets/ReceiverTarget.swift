import EarshotBasics
import EarshotCoding
import EarshotModem
import Glibc

/// The bytes are steps: any samples, frames, two frames at once, noise, holes. Two receivers get the same input in different blocks, and
/// report the same frames. A reported payload was sent, or its tones are in the input where the frame is.
func fuzzReceiver(_ bytes: [UInt8]) {
    var input = FuzzInput(bytes)
    let sound = Sound(&input)
    let whole = sound.frames { $0 }
    var sizes = SeededGenerator(seed: UInt64(bytes.count) + 1)
    let pieces = sound.frames { _ in Int.random(in: 1...3_000, using: &sizes) }
    require(whole == pieces, "\(whole) in whole blocks, \(pieces) in pieces")
    for frame in whole { check(frame, sound) }
}

/// The input of both receivers.
private struct Sound {
    enum Step {
        case samples([Float])
        case hole(Int)
    }

    static let rateHertz = 48_000
    /// Five seconds: a longer sound takes longer and reaches no other code.
    static let maximumFrameCount = 240_000

    let channelCount: Int
    let combinedCount: Int
    let recognisesTokens: Bool
    private(set) var steps: [Step] = []
    /// The payloads of frames that overlap others. The louder frame may hide the tones of the other one.
    private(set) var hidden: Set<Payload> = []

    init(_ input: inout FuzzInput) {
        let options = input.byte()
        channelCount = 1 + Int(options & 1)
        combinedCount = options & 6 == 6 ? 2 : 1
        recognisesTokens = options & 24 == 24
        var frameCount = 0
        var noise = SeededGenerator(seed: 1)
        while !input.isAtEnd, frameCount < Self.maximumFrameCount {
            let step = step(&input, &noise)
            switch step {
            case .samples(let samples): frameCount += samples.count / channelCount
            case .hole(let count): frameCount += min(count, 48_000)
            }
            steps.append(step)
        }
    }

    private mutating func step(_ input: inout FuzzInput, _ noise: inout SeededGenerator) -> Step {
        let kind = input.byte()
        switch kind < 252 ? kind % 6 : 6 {
        case 0:
            // Any bits as samples.
            let bytes = input.bytes(4 * channelCount * input.below(64))
            return .samples(
                stride(from: 0, to: bytes.count / (4 * channelCount) * 4 * channelCount, by: 4).map { place in
                    Float(bitPattern: bytes[place..<place + 4].reduce(0) { $0 << 8 | UInt32($1) })
                })
        case 1, 2:
            guard var samples = Self.frame(&input)?.samples else { return .hole(0) }
            samples.removeFirst(input.below(8) == 0 ? samples.count * input.below(256) / 256 : 0)
            return .samples(samples.flatMap { [Float](repeating: $0, count: channelCount) })
        case 6:
            guard case (let first, var samples)? = Self.frame(&input), let second = Self.frame(&input) else {
                return .hole(0)
            }
            hidden.formUnion([first, second.payload])
            let start = samples.count * input.below(256) / 256
            samples += [Float](repeating: 0, count: max(0, start + second.samples.count - samples.count))
            for (index, sample) in second.samples.enumerated() { samples[start + index] += sample }
            return .samples(samples.flatMap { [Float](repeating: $0, count: channelCount) })
        case 3:
            let level = powf(10, -Float(input.below(96)) / 20)
            return .samples(
                (0..<channelCount * input.below(16_384)).map { _ in level * .random(in: -1...1, using: &noise) })
        case 4: return .hole(input.below(65_536) << input.below(12))
        default: return .samples([Float](repeating: 0, count: channelCount * input.below(16_384)))
        }
    }

    /// A frame of any profile, payload and level.
    private static func frame(_ input: inout FuzzInput) -> (payload: Payload, samples: [Float])? {
        let profile = Profile.all[input.below(3)]
        let bytes = input.bytes(1 + input.below(32))
        guard let payload = try? Payload(bytes),
            let transmitter = try? Transmitter(profile: profile, sampleRateHertz: rateHertz)
        else { return nil }
        return (payload, transmitter.samples(payload, amplitude: powf(10, -Float(input.below(64)) / 20)))
    }

    /// The frames that a receiver reports.
    /// - Parameter size: returns the frames of the next block, from the number that a step has left.
    func frames(_ size: (Int) -> Int) -> [ReceivedFrame] {
        guard
            var receiver = try? Receiver(
                sampleRateHertz: Self.rateHertz, channelCount: channelCount, combining: combinedCount,
                recognisesTokens: recognisesTokens)
        else { fatalError("no receiver") }
        var frames: [ReceivedFrame] = []
        for step in steps {
            switch step {
            case .samples(let samples):
                var first = 0
                while first < samples.count {
                    let count = min(samples.count - first, size((samples.count - first) / channelCount) * channelCount)
                    receiver.push(samples.span.extracting(first..<first + count)) { frames.append($0) }
                    first += count
                }
            case .hole(let count): receiver.skip(SampleIndex(count)) { frames.append($0) }
            }
        }
        receiver.flush { frames.append($0) }
        return frames
    }

    /// The samples of a channel in a range of the input; 0 where it has none.
    func samples(_ range: Range<Int>, channel: Int) -> [Float] {
        var found = [Float](repeating: 0, count: range.count)
        var start = 0
        for step in steps {
            switch step {
            case .hole(let count): start += count
            case .samples(let samples):
                let end = start + samples.count / channelCount
                for place in range.clamped(to: start..<end) {
                    let sample = samples[(place - start) * channelCount + channel]
                    found[place - range.lowerBound] = sample.isFinite ? max(-100, min(100, sample)) : 0
                }
                start = end
            }
        }
        return found
    }
}

private func check(_ frame: ReceivedFrame, _ sound: Sound) {
    require(frame.channel < sound.channelCount, "channel \(frame.channel)")
    guard let profile = Profile.named(frame.profileName) else { fatalError("profile \(frame.profileName)") }
    let seconds = profile.frameSeconds(payloadByteCount: frame.payload.count)
    guard frame.combinedCount == 1, !frame.isRecognised, !sound.hidden.contains(frame.payload) else { return }
    let length = Double(frame.endSample - frame.startSample) / Double(Sound.rateHertz)
    require(abs(length - seconds) < 0.03 * seconds, "\(length) s for \(seconds) s of \(frame.payload)")
    guard let transmitter = try? Transmitter(profile: profile, sampleRateHertz: Sound.rateHertz) else { return }
    // Most of the sent tones are among the loudest of their time. Of random tones a quarter would be among the loudest
    // quarter, and less than half of the 37 or more tones of a frame: 3.5 standard deviations.
    let tones = transmitter.tones(frame.payload)
    var loudCount = 0
    let symbolCount = profile.symbolSeconds * Double(Sound.rateHertz)
    for (index, tone) in tones.enumerated() {
        let start = Int(frame.startSample) + Int(Double(index) * symbolCount)
        let samples = sound.samples(start..<start + Int(symbolCount), channel: frame.channel)
        let offset = frame.offsetHertz
        let energies = (0..<profile.toneCount).map { energy(samples, profile.toneHertz($0) + offset) }
        let louder = energies.count { $0 > energies[tone] }
        if louder < profile.toneCount / 4 { loudCount += 1 }
    }
    require(2 * loudCount >= tones.count, "\(loudCount) of \(tones.count) tones of \(frame) are in the input")
}

/// The energy of a frequency (Goertzel).
private func energy(_ samples: [Float], _ hertz: Double) -> Double {
    let coefficient = 2 * cos(2 * Double.pi * hertz / Double(Sound.rateHertz))
    var (last, before) = (0.0, 0.0)
    for sample in samples { (last, before) = (Double(sample) + coefficient * last - before, last) }
    return last * last + before * before - coefficient * last * before
}
