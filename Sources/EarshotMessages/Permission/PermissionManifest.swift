import Foundation
import Glibc

/// What a program says about itself to its users, in `<application identifier>.nearby.json` beside the program or in its
/// configuration folder. The keys are those of an `Info.plist`:
///
///     {"NSMicrophoneUsageDescription": "To find who else is in the museum."}
struct PermissionManifest: Sendable, Equatable {
    /// Why the microphone is used, in the program's own words.
    var microphoneUsageDescription: String?

    private struct Record: Decodable {
        // The names are those of the file.
        var NSMicrophoneUsageDescription: String?
    }

    /// More is not read, and not shown.
    private static let largestByteCount = 65_536

    /// - Parameter programFolder: where the program lies; nil: this one.
    /// - Returns: an empty one where there is none, or none that can be read; that is logged.
    static func load(
        for folder: ConfigurationFolder, programFolder: String? = nil, log: (@Sendable (String) -> Void)? = nil
    ) -> PermissionManifest {
        for place in [programFolder ?? systemProgramFolder, folder.path].compactMap(\.self) {
            let path = "\(place)/\(folder.name).nearby.json"
            guard let bytes = content(of: path) else { continue }
            guard let record = try? JSONDecoder().decode(Record.self, from: bytes) else {
                log?("\(path) is left out: it does not read {\"NSMicrophoneUsageDescription\":\"…\"}.")
                continue
            }
            return PermissionManifest(microphoneUsageDescription: record.NSMicrophoneUsageDescription)
        }
        return PermissionManifest()
    }

    private static func content(of path: String) -> Data? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: largestByteCount)
        let count = read(descriptor, &bytes, bytes.count)
        return count >= 0 ? Data(bytes[..<count]) : nil
    }

    private static var systemProgramFolder: String? {
        var path = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = readlink("/proc/self/exe", &path, path.count)
        let bytes = path.prefix(max(0, count)).map { UInt8(bitPattern: $0) }
        guard let slash = bytes.lastIndex(of: UInt8(ascii: "/")) else { return nil }
        return String(decoding: bytes[..<slash], as: UTF8.self)
    }
}
