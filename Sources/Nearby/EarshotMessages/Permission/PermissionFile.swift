import EarshotSystem
import Foundation

/// The file of the permission, readable only by its owner:
///
///     {"permission":"granted","location":"granted","backgroundLocation":"denied"}
///
/// If `location` or `backgroundLocation` is missing, the user has not decided on it. A reader sees either the old or
/// the new content: see `PrivateFolder`.
struct PermissionFile: Sendable {
    /// The content of the file.
    enum Content: Equatable {
        case missing
        case decisions(PermissionDecisions)
        /// The content is invalid; the text says why.
        case invalid(String)
        /// The content cannot be read; the text says why.
        case unreadable(String)
    }

    private struct Record: Decodable {
        var permission: String
        var location: String?
        var backgroundLocation: String?
    }

    private static let name = "nearby.json"
    /// This type writes up to 100 bytes. It did not write a much larger file.
    private static let maximumByteCount = 4_096

    let folder: PrivateFolder
    var path: String { "\(folder.path)/\(Self.name)" }

    init(folder: String) { self.folder = PrivateFolder(folder) }

    func read() -> Content {
        let bytes: [UInt8]
        do throws(PrivateFolder.Failure) {
            guard let read = try folder.read(Self.name, maximumByteCount: Self.maximumByteCount) else {
                return .missing
            }
            bytes = read
        } catch {
            return error.isSystem ? .unreadable(error.detail) : .invalid(error.detail)
        }
        guard let record = try? JSONDecoder().decode(Record.self, from: Data(bytes)) else {
            return .invalid("it is not of the form {\"permission\":\"granted\"}")
        }
        var decisions = PermissionDecisions()
        for (topic, name) in [
            (PermissionTopic.nearby, record.permission), (.location, record.location),
            (.backgroundLocation, record.backgroundLocation),
        ] {
            guard let state = name.map(PermissionState.init(rawValue:)) ?? .undecided else {
                return .invalid("its \(topic.key) is not undecided, granted or denied")
            }
            decisions[topic] = state
        }
        return .decisions(decisions)
    }

    /// Changes the decisions of the file; invalid content counts as undecided. Changes by other programs at the same
    /// time are not lost.
    /// - Throws: the error of the write; also if the content cannot be read now, because the other decisions would be lost.
    func update(_ change: (inout PermissionDecisions) -> Void) throws(PermissionStoreError) {
        do throws(PrivateFolder.Failure) {
            try folder.create()
            try folder.locked { () throws(PrivateFolder.Failure) in
                var decisions = PermissionDecisions()
                switch read() {
                case .decisions(let present): decisions = present
                case .missing, .invalid: break
                case .unreadable(let reason):
                    throw PrivateFolder.Failure(operation: "read", path: path, detail: reason, isSystem: true)
                }
                change(&decisions)
                try folder.write(Self.bytes(decisions), to: Self.name)
            }
        } catch {
            throw PermissionStoreError(operation: error.operation, path: error.path, detail: error.detail)
        }
    }

    private static func bytes(_ decisions: PermissionDecisions) -> [UInt8] {
        let fields = PermissionTopic.allCases.filter { $0 == .nearby || decisions[$0] != .undecided }
            .map { "\"\($0.key)\":\"\(decisions[$0].rawValue)\"" }
        return Array("{\(fields.joined(separator: ","))}\n".utf8)
    }
}

/// The permission could not be written to disk.
public struct PermissionStoreError: Error, Equatable, CustomStringConvertible {
    /// The operation that failed: `create`, `open`, `lock`, `read` or `write`.
    public let operation: String
    /// The path of the file or folder.
    public let path: String
    /// The system's reason, in lower case.
    public let detail: String

    /// One line: what failed, on what, why, and the remedy.
    public var description: String {
        "Cannot \(operation) \(path): \(detail). Make it writable, or set XDG_CONFIG_HOME to a writable folder."
    }
}
