import ArgumentParser
import EarshotAudio
import EarshotBasics
import EarshotChannel
import Foundation

extension SoundKind {
    /// A file or a folder of recordings, played repeatedly, each time at another speed, level and start.
    static func recordings(at path: String) throws -> SoundKind {
        let recordings = try Recordings(path)
        let name = URL(fileURLWithPath: path).lastPathComponent
        var kind = SoundKind("\(name), \(recordings.description)") { seed in
            EventSource(seed: seed) { recordings.next(&$0) }
        }
        kind.sampleRateHertz = recordings.sampleRateHertz
        return kind
    }
}

/// Recordings of one sample rate, in memory.
private struct Recordings: Sendable, CustomStringConvertible {
    let sampleRateHertz: Int
    private let pieces: [[Float]]

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
            guard let (rate, samples) = try? Recordings.read(file), rate >= 44_100, samples.count > rate / 4 else {
                continue
            }
            byRate[rate, default: []].append(samples)
        }
        // The rate with the most sound.
        let most = byRate.max { a, b in Recordings.sampleCount(a.value) < Recordings.sampleCount(b.value) }
        guard let most else { throw ValidationError("no recording at 44.1 kHz or more in \(path)") }
        sampleRateHertz = most.key
        pieces = most.value
    }

    private static func sampleCount(_ pieces: [[Float]]) -> Int {
        pieces.reduce(0) { $0 + $1.count }
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

    /// Up to 20 s of one of them, within 3 % of its speed.
    func next(_ generator: inout SeededGenerator) -> [Float] {
        let piece = pieces[Int.random(in: pieces.indices, using: &generator)]
        let count = min(piece.count, sampleRateHertz * 20)
        let start = Int.random(in: 0...piece.count - count, using: &generator)
        let speed = TimeScale(
            relativeOffset: 0.06 * (Double(generator.uniform()) - 0.5), fractionalDelay: Double(generator.uniform()))
        let gain = Float.random(in: 0.1...3, using: &generator)
        return speed.apply(to: piece[start..<start + count].map { gain * $0 })
    }
}
