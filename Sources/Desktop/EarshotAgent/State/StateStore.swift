import EarshotMessages
import Foundation
import Glibc

/// Keeps the state of each app in a file of its own: `$XDG_STATE_HOME/earshot/agent/APP.json`.
///
/// A write makes a new file, forces it to the disk, renames it over the old one, and forces the folder to the disk. After a
/// crash or a power failure at any moment, the file is the old or the new one, and a write that has returned is there. The
/// files hold keys, so only their owner can read them.
struct StateStore: Sendable {
    /// A failure of the file system.
    struct Failure: Error, Equatable, CustomStringConvertible {
        var operation: String
        var path: String
        var detail: String

        var description: String {
            "Cannot \(operation) \(path): \(detail). Make it writable, or set XDG_STATE_HOME to a writable folder."
        }
    }

    /// More than any state within its limits: 32 operations with a message and waiting events each.
    private static let maximumByteCount = 128 << 20
    private static let suffix = ".json"
    private static let temporaryPrefix = ".new-"

    let folder: String
    private let log: @Sendable (String) -> Void

    /// Opens the folder, and makes it where it is missing.
    init(folder: String, log: @escaping @Sendable (String) -> Void) throws(Failure) {
        self.folder = folder
        self.log = log
        var made = ""
        for component in folder.split(separator: "/") {
            made += "/\(component)"
            if mkdir(made, 0o700) != 0, errno != EEXIST, access(made, F_OK) != 0 { throw Self.failure("create", made) }
        }
    }

    /// The states of all apps. It removes what an interrupted write has left. A file that it cannot understand is put aside.
    /// - Throws: `Failure` if the system does not hand out a file or the list of them. An agent that began without them would
    ///   forget what it has confirmed.
    func load() throws(Failure) -> [AppState] {
        var states: [AppState] = []
        let names: [String]
        do { names = try FileManager.default.contentsOfDirectory(atPath: folder) } catch {
            throw Failure(operation: "list", path: folder, detail: "\(error.localizedDescription)")
        }
        for name in names {
            let path = "\(folder)/\(name)"
            if name.hasPrefix(Self.temporaryPrefix) {
                unlink(path)
            } else if name.hasSuffix(Self.suffix) {
                if let state = try read(path), fileName(state.app) == name {
                    states.append(state)
                } else {
                    let aside = path + ".unreadable"
                    rename(path, aside)
                    log("\(path) is not a state of this version of earshot-agent; it is now \(aside).")
                }
            }
        }
        return states.sorted { $0.app < $1.app }
    }

    /// - Returns: nil if the file is no state of this version.
    private func read(_ path: String) throws(Failure) -> AppState? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard descriptor >= 0 else {
            // A link, a socket, a device.
            if errno == ELOOP || errno == ENXIO { return nil }
            throw Self.failure("read", path)
        }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw Self.failure("read", path) }
        guard status.st_mode & S_IFMT == S_IFREG, status.st_size <= Self.maximumByteCount else { return nil }
        var bytes = Data(count: Int(status.st_size))
        var length = 0
        while length < bytes.count {
            let rest = bytes.count - length
            let count = bytes.withUnsafeMutableBytes {
                Glibc.read(descriptor, $0.baseAddress.map { $0 + length }, rest)
            }
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw Self.failure("read", path) }
            if count == 0 { return nil }
            length += count
        }
        guard let state = try? JSONDecoder().decode(AppState.self, from: bytes),
            state.version == AppState.version, state.operations.allSatisfy({ $0.order.flaw == nil })
        else { return nil }
        return state
    }

    /// Writes the state of an app, or removes its file if nothing is worth keeping.
    func save(_ state: AppState) throws(Failure) {
        let path = "\(folder)/\(fileName(state.app))"
        if state.isEmpty { return try remove(path) }
        guard let bytes = try? JSONEncoder().encode(state) else {
            throw Failure(operation: "write", path: path, detail: "the state cannot be encoded")
        }
        let temporary = "\(folder)/\(Self.temporaryPrefix)\(getpid())-\(UInt64.random(in: 0 ... .max))"
        let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw Self.failure("create", temporary) }
        let isWritten =
            fchmod(descriptor, 0o600) == 0 && Self.write(bytes, to: descriptor) && fsync(descriptor) == 0
        let code = errno
        close(descriptor)
        guard isWritten, rename(temporary, path) == 0 else {
            let code = isWritten ? errno : code
            unlink(temporary)
            throw Self.failure("write", path, code)
        }
        try settle()
    }

    /// Removes all that is kept about an app.
    func forget(app: String) throws(Failure) { try remove("\(folder)/\(fileName(app))") }

    private func remove(_ path: String) throws(Failure) {
        if unlink(path) != 0 {
            guard errno == ENOENT else { throw Self.failure("remove", path) }
            return
        }
        try settle()
    }

    /// Forces the folder's entries to the disk.
    private func settle() throws(Failure) {
        let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw Self.failure("open", folder) }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw Self.failure("write", folder) }
    }

    /// A file name for any identifier: other bytes than letters, digits, `.`, `_` and `-` become `%` and two digits.
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

    private static func write(_ bytes: Data, to descriptor: CInt) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }

    private static func failure(_ operation: String, _ path: String, _ code: CInt = errno) -> Failure {
        Failure(operation: operation, path: path, detail: String(cString: strerror(code)).lowercased())
    }
}
