import EarshotConsole
import EarshotSoundConsole
import EarshotSystem
import FoundationEssentials

/// The figures of an earlier run, as `earshot benchmark --json` printed them.
struct BenchmarkBaseline {
    /// The keys that a line of the file may have; each line has some of them.
    private struct Line: Decodable {
        var profile: String?
        var sound: String?
        var relative: Double?
        var processor: String?
        var liveRelative: Double?
        var channelBytes: Double?
        var allocations: Double?
        var allocationsAToken: Double?

        enum CodingKeys: String, CodingKey {
            case profile, sound, relative, processor, allocations
            case liveRelative = "live_relative"
            case channelBytes = "channel_bytes"
            case allocationsAToken = "allocations_a_token"
        }
    }

    /// The value of each figure, by its name.
    private(set) var values: [String: Double] = [:]
    /// The processor that was measured.
    private(set) var processor: String?

    /// - Throws: `Failure` if the file cannot be read, or has no figures.
    init(path: FilePath) throws(Failure) {
        let bytes = try InputFile.read(path, maximumByteCount: 1_000_000, "a baseline")
        for line in bytes.split(separator: UInt8(ascii: "\n")) {
            guard let line = try? JSONDecoder().decode(Line.self, from: Data(line)) else {
                throw Self.failure(path)
            }
            if let profile = line.profile, let sound = line.sound { values["\(profile), \(sound)"] = line.relative }
            processor = line.processor ?? processor
            values["live"] = line.liveRelative ?? values["live"]
            values["memory"] = line.channelBytes ?? values["memory"]
            values["allocations"] = line.allocations ?? values["allocations"]
            values["allocations a token"] = line.allocationsAToken ?? values["allocations a token"]
        }
        if values.isEmpty { throw Self.failure(path) }
    }

    private static func failure(_ path: FilePath) -> Failure {
        Failure(
            .data,
            "Cannot compare with \(path.escapedForTerminal): it does not have the lines of 'earshot benchmark --json'.")
    }

    /// The figures that are worse than those of the file by more than the share `tolerance`.
    func worse(_ figures: [BenchmarkFigure], tolerance: Double) -> [BenchmarkFigure] {
        figures.filter { figure in
            values[figure.name].map { figure.isWorse(than: $0, tolerance: tolerance) } ?? false
        }
    }
}
