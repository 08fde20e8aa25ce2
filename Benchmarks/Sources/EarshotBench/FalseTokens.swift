import ArgumentParser
import EarshotAudio
import EarshotChannel
import EarshotLoopback
import EarshotModem
import Foundation

/// Hours of everything but tokens.
struct FalseTokensCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "false-tokens",
        abstract: "Listen to hours of noise, music and speech, and count tokens that are not there.",
        discussion: """
            Noise is generated. Recordings come from --audio: files or folders, anything libsndfile reads at 44.1 kHz or
            more; they are played again and again, each time at another speed (within 3 %), level and start. Recordings
            made for the purpose: Debian's hyperrogue-music, lomiri-sounds and sound-theme-freedesktop (music, effects with
            energy at 18-20 kHz), and espeak-ng -w (speech, resampled to 48 kHz).
            """)

    @Option(help: "Hours of each kind.")
    var hours = 10.0

    @Option(help: "A file or folder of recordings; may be repeated, and each is a kind of its own.")
    var audio: [String] = []

    @Option(help: "Seed.")
    var seed: UInt64 = 1

    func run() throws {
        var report = Report(
            title: "False tokens", command: "earshot-bench false-tokens --hours \(hours) --seed \(seed)")
        try measureFalseTokens(&report, hours: hours, recordings: audio, seed: seed)
    }
}

func measureFalseTokens(_ report: inout Report, hours: Double, recordings: [String], seed: UInt64) throws {
    report.add("| sound | hours | candidates | decoding attempts | good fit, wrong CRC | false tokens |")
    report.add("|---|---|---|---|---|---|")
    var falseTokens = 0
    var heardHours = 0.0
    var kinds: [(String, any SoundSource)] = [
        ("white noise", NoiseSource(isRed: false)),
        ("noise that falls by 6 dB an octave above 150 Hz", NoiseSource(isRed: true)),
    ]
    for path in recordings {
        let source = try RecordingSource(path)
        kinds.append(("\(URL(fileURLWithPath: path).lastPathComponent), \(source.description)", source))
    }
    for (name, source) in kinds {
        let parts = 16
        let results = PartResults()
        DispatchQueue.concurrentPerform(iterations: parts) { part in
            guard var receiver = try? Receiver(sampleRateHertz: source.sampleRateHertz) else { return }
            var frames: [ReceivedFrame] = []
            let sampleCount = Int(hours / Double(parts) * 3_600 * Double(source.sampleRateHertz))
            source.play(seed: seed &* 1_000 &+ UInt64(part), sampleCount: sampleCount) { block in
                receiver.push(block.span) { frames.append($0) }
            }
            receiver.flush { frames.append($0) }
            results.add(receiver.statistics, frames)
        }
        let total = results.statistics
        report.add(
            "| \(name) | \(decimal(hours, 1)) | \(total.candidates) | "
                + "\(total.rejectedByPathMetric + total.rejectedByCheck + total.frames) | \(total.rejectedByCheck) | "
                + "**\(total.frames)** |")
        for frame in results.frames {
            report.add("  false: \(frame)")
        }
        falseTokens += total.frames
        heardHours += hours
    }
    let bound = PoissonBound.upper(count: falseTokens) * 1_000 / heardHours
    report.add(
        "\n\(falseTokens) false tokens in \(decimal(heardHours, 0)) hours: at most \(decimal(bound, 0)) in 1,000 hours (95 % confidence). Seed \(seed)."
    )
}

private final class PartResults: @unchecked Sendable {
    private let lock = NSLock()
    private(set) var statistics = ReceiverStatistics()
    private(set) var frames: [ReceivedFrame] = []

    func add(_ part: ReceiverStatistics, _ found: [ReceivedFrame]) {
        lock.withLock {
            statistics.candidates += part.candidates
            statistics.rejectedByPathMetric += part.rejectedByPathMetric
            statistics.rejectedByCheck += part.rejectedByCheck
            statistics.frames += part.frames
            frames += found
        }
    }
}

/// Something that can be listened to for as long as one likes.
protocol SoundSource: Sendable {
    var sampleRateHertz: Int { get }
    func play(seed: UInt64, sampleCount: Int, _ body: ([Float]) -> Void)
}

private struct NoiseSource: SoundSource {
    let sampleRateHertz = 48_000
    let isRed: Bool

    func play(seed: UInt64, sampleCount: Int, _ body: ([Float]) -> Void) {
        var noise = WhiteNoise(seed: seed)
        var low: Float = 0
        var block = [Float](repeating: 0, count: 4_800)
        for _ in 0..<sampleCount / block.count {
            for index in block.indices {
                let white = noise.next()
                // One pole at 0.02·F/2π, 153 Hz.
                low += 0.02 * (white - low)
                block[index] = isRed ? low + 0.001 * white : 0.05 * white
            }
            body(block)
        }
    }
}

private struct RecordingSource: SoundSource, CustomStringConvertible {
    let sampleRateHertz: Int
    let pieces: [[Float]]
    var description: String {
        let seconds = pieces.reduce(0) { $0 + $1.count } / sampleRateHertz
        return "\(pieces.count) recordings, \(seconds / 60) min, played again and again"
    }

    init(_ path: String) throws {
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else {
            throw ValidationError("no recording at \(path)")
        }
        var files = [path]
        if isFolder.boolValue {
            files = (FileManager.default.enumerator(atPath: path)?.allObjects as? [String] ?? []).sorted()
                .map { path + "/" + $0 }
        }
        var byRate: [Int: [[Float]]] = [:]
        for file in files {
            guard let (rate, samples) = try? RecordingSource.read(file), rate >= 44_100, samples.count > rate / 4 else {
                continue
            }
            byRate[rate, default: []].append(samples)
        }
        // The rate with the most sound.
        guard
            let most = byRate.max(by: { a, b in
                a.value.reduce(0) { $0 + $1.count } < b.value.reduce(0) { $0 + $1.count }
            })
        else { throw ValidationError("no recording at 44.1 kHz or more in \(path)") }
        sampleRateHertz = most.key
        pieces = most.value
    }

    /// The first channel, at most 10 minutes.
    private static func read(_ path: String) throws -> (Int, [Float]) {
        var reader = try SoundFileReader(path: path)
        var samples: [Float] = []
        var buffer: [Float] = []
        while samples.count < 600 * reader.sampleRateHertz {
            let count = try reader.read(into: &buffer, maxFrames: 65_536)
            if count == 0 { break }
            for frame in 0..<count {
                samples.append(buffer[frame * reader.channelCount])
            }
        }
        return (reader.sampleRateHertz, samples)
    }

    func play(seed: UInt64, sampleCount: Int, _ body: ([Float]) -> Void) {
        var generator = SeededGenerator(seed: seed)
        var left = sampleCount
        while left > 0 {
            let piece = pieces[Int.random(in: pieces.indices, using: &generator)]
            let count = min(piece.count, sampleRateHertz * 20)
            let start = Int.random(in: 0...piece.count - count, using: &generator)
            let speed = TimeScale(
                relativeOffset: 0.06 * (Double(generator.uniform()) - 0.5),
                fractionalDelay: Double(generator.uniform()))
            let gain = Float.random(in: 0.1...3, using: &generator)
            let sound = speed.apply(to: piece[start..<start + count].map { gain * $0 })
            body(sound)
            left -= max(sound.count, 1)
        }
    }
}
