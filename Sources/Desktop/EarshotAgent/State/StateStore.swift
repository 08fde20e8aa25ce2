import EarshotMessages
import EarshotSystem
import Foundation
import Glibc

/// Stores the state of each app in its own file: `$XDG_STATE_HOME/earshot/agent/APP.json`. The files contain keys,
/// so only their owner can read them. A state that `save` has confirmed survives a crash or a power failure: see
/// `PrivateFolder`.
struct StateStore: Sendable {
    /// More than any state within its limits: 32 operations with a message and waiting events each.
    private static let maximumByteCount = 128 << 20
    private static let suffix = ".json"

    let folder: PrivateFolder
    private let log: @Sendable (String) -> Void

    /// Opens the folder, and creates it if it is missing.
    init(folder: String, log: @escaping @Sendable (String) -> Void) throws(PrivateFolder.Failure) {
        self.folder = PrivateFolder(folder)
        self.log = log
        try self.folder.create()
    }

    /// The states of all apps. It removes the remains of interrupted writes, and renames invalid files.
    /// - Throws: `Failure` if a file or the list of them cannot be read. An agent that started without them would
    ///   forget operations that it has confirmed.
    func load() throws(PrivateFolder.Failure) -> [AppState] {
        folder.tidy()
        var states: [AppState] = []
        for name in try folder.names where name.hasSuffix(Self.suffix) {
            if let state = try read(name), fileName(state.app) == name {
                states.append(state)
            } else {
                folder.putAside(name, log)
            }
        }
        return states.sorted { $0.app < $1.app }
    }

    /// - Returns: nil if the file is not a state of this version.
    private func read(_ name: String) throws(PrivateFolder.Failure) -> AppState? {
        guard let bytes = try folder.readUsable(name, maximumByteCount: Self.maximumByteCount),
            let state = try? JSONDecoder().decode(AppState.self, from: Data(bytes)),
            state.version == AppState.version, state.operations.allSatisfy({ $0.order.flaw == nil })
        else { return nil }
        return state
    }

    /// Writes the state of an app, or removes its file if the state is empty.
    func save(_ state: AppState) throws(PrivateFolder.Failure) {
        let name = fileName(state.app)
        if state.isEmpty { return try folder.remove(name) }
        try folder.write(try folder.encode(state, name), to: name)
    }

    /// Removes all stored data about an app.
    func forget(app: String) throws(PrivateFolder.Failure) { try folder.remove(fileName(app)) }

    /// A file name for any identifier: bytes other than letters, digits, `.`, `_` and `-` become `%` and two digits.
    func fileName(_ app: String) -> String {
        var name = ""
        for byte in app.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"):
                name.unicodeScalars.append(UnicodeScalar(byte))
            case UInt8(ascii: ".") where !name.isEmpty: name += "."
            default:
                let digits = String(byte, radix: 16, uppercase: true)
                name += "%" + (digits.count == 1 ? "0" : "") + digits
            }
        }
        return name + Self.suffix
    }
}

extension PrivateFolder {
    /// Reads a file of the agent.
    /// - Returns: nil if there is none, or if it is permanently unusable.
    /// - Throws: `Failure` if it cannot be read now.
    func readUsable(_ name: String, maximumByteCount: Int) throws(Failure) -> [UInt8]? {
        do throws(Failure) { return try read(name, maximumByteCount: maximumByteCount) } catch {
            if error.isSystem { throw error }
            return nil
        }
    }

    /// Renames a file that this version of the agent does not understand, and logs that.
    func putAside(_ name: String, _ log: (String) -> Void) {
        let file = "\(path)/\(name)"
        rename(file, file + ".unreadable")
        log("\(file) is not a state of this version of earshot-agent; it is now \(file).unreadable.")
    }

    /// The bytes of a file of the agent.
    func encode(_ state: some Encodable, _ name: String) throws(Failure) -> [UInt8] {
        guard let bytes = try? JSONEncoder().encode(state) else {
            throw Failure(operation: "write", path: "\(path)/\(name)", detail: "the state cannot be encoded")
        }
        return Array(bytes)
    }
}
