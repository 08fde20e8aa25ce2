import Foundation
import Glibc

/// A program's statement to its users, in `<application identifier>.nearby.json` beside the program or in its configuration
/// folder. The keys are those of an `Info.plist`:
///
///     {"NSMicrophoneUsageDescription": "To find other visitors of the museum."}
struct PermissionManifest: Sendable, Equatable {
    /// The program's reason to use the microphone; nil if it gives none.
    var microphoneUsageDescription: String?

    private struct Record: Decodable {
        // The name is the file's key.
        var NSMicrophoneUsageDescription: String?
    }

    /// The maximum size that is read.
    private static let maximumByteCount = 65_536

    /// - Parameter programFolder: the folder of the program; nil for that of this process.
    /// - Returns: the manifest; an empty one if there is none, or, with a line in the log, if it is invalid.
    static func load(
        for folder: ConfigurationFolder, programFolder: String? = nil, log: (@Sendable (String) -> Void)? = nil
    ) -> PermissionManifest {
        for place in [programFolder ?? systemProgramFolder, folder.path].compactMap(\.self) {
            let path = "\(place)/\(folder.name).nearby.json"
            guard let bytes = content(of: path) else { continue }
            guard let record = try? JSONDecoder().decode(Record.self, from: bytes) else {
                log?("\(path) is ignored: it is not of the form {\"NSMicrophoneUsageDescription\":\"…\"}.")
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
        var bytes = [UInt8](repeating: 0, count: maximumByteCount)
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
