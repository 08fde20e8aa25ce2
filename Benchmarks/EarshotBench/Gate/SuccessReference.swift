import ArgumentParser
import EarshotChannel
import EarshotLoopback
import EarshotModem
import Foundation

/// The receiver's results when the reference was recorded. Only `gate --record` writes it.
struct SuccessReference: Codable {
    /// The date, and the command.
    var recorded: String
    var command: String
    /// The seed from which all trials follow.
    var seed: UInt64
    /// The loss that the gate must notice, in decibels.
    var lossDecibels: Double
    /// The success by SNR, which expresses a fallen share in decibels.
    var curves: [Curve]
    /// The points that the gate checks.
    var points: [Point]

    /// A profile in white noise or in a room.
    struct Air: Codable, Hashable {
        /// The profile, as in `Profile.name`.
        var profile: String
        /// The room: "A", "B", "C", or nil for none.
        var room: String?

        /// The scene with this profile and room.
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

        /// The text in a table.
        var title: String { "\(profile), " + (room.map { "room \($0)" } ?? "white noise") }
    }

    /// The number of tokens decoded at one SNR.
    struct Share: Codable {
        var snrDecibels: Double
        var decodedCount: Int
        var trialCount: Int

        /// Decoded tokens over trials, 0 ... 1.
        var share: Double { Double(decodedCount) / Double(max(trialCount, 1)) }
    }

    /// The success of one air at rising SNR.
    struct Curve: Codable {
        var air: Air
        var shares: [Share]
    }

    /// One point of a curve, measured with many trials.
    struct Point: Codable {
        var air: Air
        /// "knee", where the curve is steepest, or "inside".
        var place: String
        var now: Share
        /// The same `lossDecibels` lower.
        var afterLoss: Share

        /// Its name in tables and for `--only`.
        var title: String { "\(air.title), \(snrText(now.snrDecibels)) (\(place))" }
    }

    /// The SNR at which a share decodes, from all points recorded of the air; nil if they never cross it.
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

    /// The file in the folder Benchmarks of the sources.
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

/// A text such as −7.5 dB, with a minus sign.
func snrText(_ decibels: Double) -> String {
    "\(decibels < 0 ? "−" : "")\(decimal(abs(decibels), 1)) dB"
}
