package import EarshotAudio
package import Foundation

/// A temporary directory that is removed with its owner. The harness keeps its own files elsewhere, so `names` has only
/// the tool's files.
package final class Scratch: Sendable {
    package let url: URL
    package let hidden: URL

    package init() throws {
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

    package func path(_ name: String) -> String { url.appendingPathComponent(name).path }

    package func data(_ name: String) throws -> Data { try Data(contentsOf: url.appendingPathComponent(name)) }

    package func save(_ data: Data, _ name: String) throws { try data.write(to: url.appendingPathComponent(name)) }

    /// The names of all files in it, hidden ones too.
    package var names: [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: url.path)) ?? []).sorted()
    }
}

extension Scratch {
    /// Writes interleaved samples.
    package func write(
        _ samples: [Float], _ name: String, rate: Int = 48_000, channels: Int = 1, format: SampleFormat = .s16
    ) throws {
        var writer = try WAVWriter(
            path: path(name), sampleRateHertz: rate, channelCount: channels, format: format)
        try writer.write(samples)
        try writer.finish()
    }

    /// All samples of a file, interleaved.
    package func samples(_ name: String) throws -> [Float] {
        var reader = try SoundFileReader(path: path(name))
        var (block, all): ([Float], [Float]) = ([], [])
        while case let count = try reader.read(into: &block, maxFrames: 4_096), count > 0 {
            all += block[..<(count * reader.channelCount)]
        }
        return all
    }
}
