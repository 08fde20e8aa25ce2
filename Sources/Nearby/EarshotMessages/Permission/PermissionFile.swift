import Foundation
import Glibc

/// The file of the permission, readable only by its owner:
///
///     {"permission":"granted","location":"granted","backgroundLocation":"denied"}
///
/// Without `location` or `backgroundLocation` the user has not decided on it. A write creates a new file and renames it over the old one, so that a
/// reader sees either the old or the new content.
struct PermissionFile: Sendable {
    /// The content of the file.
    enum Content: Equatable {
        case missing
        case decisions(PermissionDecisions)
        /// The content is invalid; the text says why.
        case invalid(String)
        /// The system does not hand out the content; the text says why.
        case unreadable(String)
    }

    private struct Record: Codable {
        var permission: String
        var location: String?
        var backgroundLocation: String?
    }

    private static let names: [(PermissionState, String)] = [
        (.undecided, "undecided"), (.granted, "granted"), (.denied, "denied"),
    ]
    /// This writes up to 100 bytes. A much larger file is not from here.
    private static let maximumByteCount = 4_096

    let folder: String
    var path: String { "\(folder)/nearby.json" }

    func read() -> Content {
        // A pipe or a device in place of the file must not block.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        guard descriptor >= 0 else {
            return errno == ENOENT || errno == ENOTDIR ? .missing : .unreadable(Self.reason(errno))
        }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { return .unreadable(Self.reason(errno)) }
        guard status.st_mode & S_IFMT == S_IFREG else { return .invalid("it is not a regular file") }
        guard status.st_size <= Self.maximumByteCount else { return .invalid("it has \(status.st_size) bytes") }
        var bytes = [UInt8](repeating: 0, count: Self.maximumByteCount)
        var length = 0
        while length < bytes.count {
            let count = bytes[length...].withUnsafeMutableBytes { Glibc.read(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { return .unreadable(Self.reason(errno)) }
            if count == 0 { break }
            length += count
        }
        guard let record = try? JSONDecoder().decode(Record.self, from: Data(bytes[..<length])) else {
            return .invalid("it is not of the form {\"permission\":\"granted\"}")
        }
        guard let nearby = Self.state(record.permission) else {
            return .invalid("its permission is not undecided, granted or denied")
        }
        guard let location = Self.state(record.location ?? "undecided") else {
            return .invalid("its location is not undecided, granted or denied")
        }
        guard let backgroundLocation = Self.state(record.backgroundLocation ?? "undecided") else {
            return .invalid("its backgroundLocation is not undecided, granted or denied")
        }
        return .decisions(
            PermissionDecisions(nearby: nearby, location: location, backgroundLocation: backgroundLocation))
    }

    /// Changes the decisions of the file; invalid content counts as undecided. No other program's change gets lost meanwhile.
    /// - Throws: the error of the write; also if the content cannot be read now, because the other decisions would be lost.
    func update(_ change: (inout PermissionDecisions) -> Void) throws(PermissionStoreError) {
        try makeFolders()
        let lock = Self.lock(folder)
        defer { if lock >= 0 { close(lock) } }
        var decisions = PermissionDecisions()
        switch read() {
        case .decisions(let present): decisions = present
        case .missing, .invalid: break
        case .unreadable(let reason): throw PermissionStoreError(operation: "read", path: path, detail: reason)
        }
        change(&decisions)
        try write(decisions)
        // Otherwise a power cut could bring the old decisions back.
        if lock >= 0, fsync(lock) != 0 { throw failure("write", path) }
    }

    /// Locks the folder, at most for five seconds: a program that stands still while it writes must not stop this one, and one
    /// that waits for a slow disk must be waited for. Three programs that wrote without a pause to a busy disk kept one out for
    /// a second.
    /// - Returns: a descriptor whose end unlocks the folder; negative if it cannot be opened.
    private static func lock(_ folder: String) -> CInt {
        let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { return -1 }
        for _ in 0..<2_500 where flock(descriptor, LOCK_EX | LOCK_NB) != 0 { usleep(2_000) }
        return descriptor
    }

    private static func state(_ name: String) -> PermissionState? { names.first { $0.1 == name }?.0 }
    private static func name(_ state: PermissionState) -> String { names.first { $0.0 == state }?.1 ?? "undecided" }

    private func write(_ decisions: PermissionDecisions) throws(PermissionStoreError) {
        // The process id alone is not unique: two threads may write.
        let temporary = "\(folder)/.nearby.json.\(getpid()).\(UInt64.random(in: 0 ... .max))"
        let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, S_IRUSR | S_IWUSR)
        guard descriptor >= 0 else { throw failure("create", path) }
        var text = "{\"permission\":\"\(Self.name(decisions.nearby))\""
        if decisions.location != .undecided { text += ",\"location\":\"\(Self.name(decisions.location))\"" }
        if decisions.backgroundLocation != .undecided {
            text += ",\"backgroundLocation\":\"\(Self.name(decisions.backgroundLocation))\""
        }
        let bytes = Array("\(text)}\n".utf8)
        // The umask may have taken permissions from the owner.
        let isWritten =
            Self.write(bytes, to: descriptor) && fchmod(descriptor, S_IRUSR | S_IWUSR) == 0 && fsync(descriptor) == 0
        let code = errno
        close(descriptor)
        guard isWritten, rename(temporary, path) == 0 else {
            let code = isWritten ? errno : code
            unlink(temporary)
            throw failure("write", path, code)
        }
    }

    private static func write(_ bytes: [UInt8], to descriptor: CInt) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }

    private func makeFolders() throws(PermissionStoreError) {
        var made = ""
        for component in folder.split(separator: "/") {
            made += "/\(component)"
            // Folders made here are private to the owner.
            if mkdir(made, S_IRWXU) != 0, errno != EEXIST, access(made, F_OK) != 0 { throw failure("create", made) }
        }
    }

    private func failure(_ operation: String, _ path: String, _ code: CInt = errno) -> PermissionStoreError {
        PermissionStoreError(operation: operation, path: path, detail: Self.reason(code))
    }

    private static func reason(_ code: CInt) -> String {
        String(cString: strerror(code)).lowercased()
    }
}

/// The permission could not be written to disk.
public struct PermissionStoreError: Error, Equatable, CustomStringConvertible {
    /// The operation that failed: `create`, `read` or `write`.
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
