import ArgumentParser
import EarshotChannel
import EarshotLoopback
import EarshotModem
import Foundation

/// What the receiver decoded when the reference was recorded: written by `gate --record` and by nobody else.
struct SuccessReference: Codable {
    /// When, and by which command.
    var recorded: String
    var command: String
    /// The seed from which all trials follow.
    var seed: UInt64
    /// What loss the gate has to notice.
    var lossDecibels: Double
    /// Success against SNR, to say what a fallen share means in decibels.
    var curves: [Curve]
    /// Where the gate looks.
    var points: [Point]

    /// A profile in white noise or in a room.
    struct Air: Codable, Hashable {
        /// `Profile.name`.
        var profile: String
        /// "A", "B", "C", or nil for none.
        var room: String?

        /// What is sent through it.
        func scene(snrDecibels: Double) throws -> AirScene {
            guard let named = Profile.named(profile) else {
                throw ValidationError("the reference names a profile that does not exist: \(profile); record it anew")
            }
            var scene = AirScene()
            scene.profile = named
            scene.snrDecibels = snrDecibels
            switch room {
            case nil: break
            case "A": scene.air.room = Room.a
            case "B": scene.air.room = Room.b
            case "C": scene.air.room = Room.c
            case let other?:
                throw ValidationError("the reference names a room that does not exist: \(other); record it anew")
            }
            return scene
        }

        /// In a table.
        var title: String { "\(profile), " + (room.map { "room \($0)" } ?? "white noise") }
    }

    /// How many decoded at one SNR.
    struct Share: Codable {
        var snrDecibels: Double
        var decodedCount: Int
        var trialCount: Int

        /// decoded / trials.
        var share: Double { Double(decodedCount) / Double(max(trialCount, 1)) }
    }

    /// One air's success at rising SNR.
    struct Curve: Codable {
        var air: Air
        var shares: [Share]
    }

    /// One place on a curve, measured well.
    struct Point: Codable {
        var air: Air
        /// "knee", where the curve is steepest, or "inside".
        var place: String
        var now: Share
        /// `lossDecibels` lower.
        var afterLoss: Share

        /// What it is called in tables and by `--only`.
        var title: String { "\(air.title), \(snrText(now.snrDecibels)) (\(place))" }
    }

    /// The SNR at which that share decodes, by all that was recorded of the air; nil where that never crossed it.
    func snrDecibels(_ air: Air, share: Double) -> Double? {
        let shares =
            curves.filter { $0.air == air }.flatMap(\.shares)
            + points.filter { $0.air == air }.flatMap { [$0.now, $0.afterLoss] }
        let counts = shares.map {
            CurveCrossing.Point(
                snrDecibels: $0.snrDecibels, successCount: $0.decodedCount, trialCount: $0.trialCount)
        }
        return CurveCrossing(share: share, points: counts)?.snrDecibels
    }

    /// Beside the Benchmarks package's sources.
    static func defaultPath() -> String {
        benchmarksFolder().appendingPathComponent("Reference/success.json").path
    }

    static func load(_ path: String) throws -> SuccessReference {
        guard let data = FileManager.default.contents(atPath: path) else {
            throw ValidationError("no reference at \(path); write one: earshot-bench gate --record")
        }
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        do {
            return try decoder.decode(SuccessReference.self, from: data)
        } catch {
            throw ValidationError("the reference \(path) cannot be read (\(error)); record it anew: gate --record")
        }
    }

    func save(_ path: String) throws {
        let encoder = JSONEncoder()
        encoder.keyEncodingStrategy = .convertToSnakeCase
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        try FileManager.default.createDirectory(
            at: URL(fileURLWithPath: path).deletingLastPathComponent(), withIntermediateDirectories: true)
        var data = try encoder.encode(self)
        data.append(0x0A)
        try data.write(to: URL(fileURLWithPath: path), options: .atomic)
    }
}

/// −7.5 dB, with the sign that tables have.
func snrText(_ decibels: Double) -> String {
    "\(decibels < 0 ? "−" : "")\(decimal(abs(decibels), 1)) dB"
}
