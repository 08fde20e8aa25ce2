import Foundation
import Glibc
import NearbyWire

/// A program's statement to its users, in `<application identifier>.nearby.json` beside the program or in its configuration
/// folder. The keys are those of an `Info.plist`:
///
///     {"NSMicrophoneUsageDescription": "To find other visitors of the museum.",
///      "NSBluetoothPeripheralUsageDescription": "So that other visitors find you.",
///      "NSLocationWhenInUseUsageDescription": "To show the exhibits around you.",
///      "NSLocationAlwaysUsageDescription": "To remember the exhibits that you passed.",
///      "UIBackgroundModes": ["bluetooth-central", "bluetooth-peripheral", "location"],
///      "EarshotCommand": ["/usr/bin/museum", "--background"],
///      "EarshotNotification": {"title": "Museum", "body": "Near you: {text}"}}
struct PermissionManifest: Decodable, Sendable, Equatable {
    /// The program's reason to use the microphone; nil if it gives none.
    var microphoneUsageDescription: String?
    /// The program's reason to send over Bluetooth; nil if it gives none.
    var bluetoothUsageDescription: String?
    /// The program's reason to know where the device is; nil if it gives none.
    var locationUsageDescription: String?
    /// The same for the background.
    var backgroundLocationUsageDescription: String?
    /// The work that the program may do in the background (`UIBackgroundModes`); nil for none.
    var backgroundModes: [String]?
    /// The program and its arguments, with which the agent starts it (`EarshotCommand`); nil if it need not be started.
    var command: [String]?
    /// The agent's notification when it finds a message while the program is not running (`EarshotNotification`); nil
    /// for none.
    var notification: BackgroundManifest.Notification?

    /// A sentence: why a file was ignored; nil if none was.
    var fault: String?

    private enum CodingKeys: String, CodingKey {
        case microphoneUsageDescription = "NSMicrophoneUsageDescription"
        case bluetoothUsageDescription = "NSBluetoothPeripheralUsageDescription"
        case locationUsageDescription = "NSLocationWhenInUseUsageDescription"
        case backgroundLocationUsageDescription = "NSLocationAlwaysUsageDescription"
        case backgroundModes = "UIBackgroundModes"
        case command = "EarshotCommand"
        case notification = "EarshotNotification"
    }

    /// The maximum size of a manifest.
    private static let maximumByteCount = 65_536

    /// - Parameter programFolder: the folder of the program; nil for that of this process.
    /// - Returns: the manifest; an empty one if there is none, or, with a line in the log, if it is invalid.
    static func load(
        for folder: ConfigurationFolder, programFolder: String? = nil, log: (@Sendable (String) -> Void)? = nil
    ) -> PermissionManifest {
        var none = PermissionManifest()
        func ignore(_ path: String, _ reason: String) {
            let sentence = "\(path) is ignored: \(reason)."
            none.fault = none.fault ?? sentence
            log?(sentence)
        }
        for place in [programFolder ?? systemProgramFolder, folder.path].compactMap(\.self) {
            let path = "\(place)/\(folder.name).nearby.json"
            guard let bytes = content(of: path) else {
                if errno != ENOENT, errno != ENOTDIR {
                    ignore(path, String(cString: strerror(errno)).lowercased())
                }
                continue
            }
            do {
                return try JSONDecoder().decode(PermissionManifest.self, from: bytes)
            } catch DecodingError.typeMismatch(_, let context) where !context.codingPath.isEmpty {
                ignore(path, "the value of \(context.codingPath[0].stringValue) has a wrong type")
            } catch {
                ignore(path, "it is not of the form {\"NSMicrophoneUsageDescription\":\"…\"}")
            }
        }
        return none
    }

    /// - Returns: nil if it cannot be read, with the reason in `errno`.
    private static func content(of path: String) -> Data? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        guard descriptor >= 0 else { return nil }
        var bytes = [UInt8](repeating: 0, count: maximumByteCount)
        let count = read(descriptor, &bytes, bytes.count)
        let code = errno
        close(descriptor)
        errno = code
        return count >= 0 ? Data(bytes[..<count]) : nil
    }

    static var systemProgramFolder: String? { ProgramFolder.system }
}
