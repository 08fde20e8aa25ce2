import EarshotAudio
import EarshotCoding
import EarshotModem
import Foundation

/// A directory that goes with its owner. What the harness itself needs lies elsewhere, so `names` is what the tool made.
final class Scratch {
    let url: URL
    let hidden: URL

    init() throws {
        let base = FileManager.default.temporaryDirectory.appendingPathComponent("earshot-cli-\(UUID().uuidString)")
        url = base.appendingPathComponent("work")
        hidden = base.appendingPathComponent("harness")
        for directory in [url, hidden] {
            try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        }
    }

    deinit {
        try? FileManager.default.removeItem(at: url.deletingLastPathComponent())
    }

    func path(_ name: String) -> String { url.appendingPathComponent(name).path }

    func data(_ name: String) throws -> Data { try Data(contentsOf: url.appendingPathComponent(name)) }

    func save(_ data: Data, _ name: String) throws { try data.write(to: url.appendingPathComponent(name)) }

    /// Everything in it, hidden files too.
    var names: [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: url.path)) ?? []).sorted()
    }

    /// Writes interleaved samples.
    func write(
        _ samples: [Float], _ name: String, rate: Int = 48_000, channels: Int = 1, format: SampleFormat = .s16
    ) throws {
        var writer = try WAVWriter(
            path: path(name), sampleRateHertz: rate, channelCount: channels, format: format)
        try writer.write(samples)
        try writer.finish()
    }
}

/// Sound that tests give to the tool, made by the library.
enum Sound {
    static func frame(_ hex: String, _ profile: Profile = .standard, rate: Int = 48_000) throws -> [Float] {
        try Transmitter(profile: profile, sampleRateHertz: rate).samples(Payload(hex: hex), amplitude: 0.25)
    }

    static func silence(_ seconds: Double, rate: Int = 48_000) -> [Float] {
        [Float](repeating: 0, count: Int(seconds * Double(rate)))
    }

    /// Frames on some channels of many; all others are silent.
    static func interleaved(_ channels: [Int: [Float]], channelCount: Int) -> [Float] {
        let frameCount = channels.values.map(\.count).max() ?? 0
        var samples = [Float](repeating: 0, count: frameCount * channelCount)
        for (channel, values) in channels {
            for (index, value) in values.enumerated() { samples[index * channelCount + channel] = value }
        }
        return samples
    }

    static func s16(_ samples: [Float]) -> Data {
        samples.reduce(into: Data(capacity: 2 * samples.count)) { data, sample in
            let value = UInt16(bitPattern: Int16(sample * 32_767))
            data.append(UInt8(value & 0xFF))
            data.append(UInt8(value >> 8))
        }
    }
}

extension Scratch {
    /// All samples of a file, interleaved.
    func samples(_ name: String) throws -> [Float] {
        var reader = try SoundFileReader(path: path(name))
        var (block, all): ([Float], [Float]) = ([], [])
        while case let count = try reader.read(into: &block, maxFrames: 4_096), count > 0 {
            all += block[..<(count * reader.channelCount)]
        }
        return all
    }
}
