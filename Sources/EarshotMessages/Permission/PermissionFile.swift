import Foundation
import Glibc

/// The permission as it lies on disk, `{"permission":"granted"}`, readable for its owner only.
///
/// Written beside the file and renamed over it: who reads sees the old one or the new one, never half of it.
struct PermissionFile: Sendable {
    /// What was found in the place of the file.
    enum Content: Equatable {
        case missing
        case state(PermissionState)
        /// Somebody wrote something else there, or it cannot be read; why.
        case nonsense(String)
    }

    private struct Record: Codable {
        var permission: String
    }

    private static let names: [(PermissionState, String)] = [
        (.undecided, "undecided"), (.granted, "granted"), (.denied, "denied"),
    ]
    /// What we write has 30 bytes. A file that is much larger is not ours.
    private static let largestByteCount = 4_096

    let folder: String
    var path: String { "\(folder)/nearby.json" }

    func read() -> Content {
        // A pipe or a device in its place must not make us wait.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        guard descriptor >= 0 else {
            return errno == ENOENT || errno == ENOTDIR ? .missing : .nonsense(Self.reason(errno))
        }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            return .nonsense("it is no regular file")
        }
        guard status.st_size <= Self.largestByteCount else { return .nonsense("it has \(status.st_size) bytes") }
        var bytes = [UInt8](repeating: 0, count: Self.largestByteCount)
        let count = Glibc.read(descriptor, &bytes, bytes.count)
        guard count >= 0 else { return .nonsense(Self.reason(errno)) }
        guard let record = try? JSONDecoder().decode(Record.self, from: Data(bytes[..<count])) else {
            return .nonsense("it does not read {\"permission\":\"granted\"} or the like")
        }
        guard let state = Self.names.first(where: { $0.1 == record.permission })?.0 else {
            return .nonsense("its permission is none of undecided, granted, denied")
        }
        return .state(state)
    }

    func write(_ state: PermissionState) throws(PermissionStoreError) {
        try makeFolders()
        // The process's number alone is not enough: two threads may write.
        let temporary = "\(folder)/.nearby.json.\(getpid()).\(UInt64.random(in: 0 ... .max))"
        let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, S_IRUSR | S_IWUSR)
        guard descriptor >= 0 else { throw failure("create", temporary) }
        let name = Self.names.first { $0.0 == state }?.1 ?? "undecided"
        let bytes = Array("{\"permission\":\"\(name)\"}\n".utf8)
        // The umask may have taken from the owner, too.
        let isWritten =
            Glibc.write(descriptor, bytes, bytes.count) == bytes.count && fchmod(descriptor, S_IRUSR | S_IWUSR) == 0
            && fsync(descriptor) == 0
        let code = errno
        close(descriptor)
        guard isWritten, rename(temporary, path) == 0 else {
            let code = isWritten ? errno : code
            unlink(temporary)
            throw failure("write", path, code)
        }
    }

    private func makeFolders() throws(PermissionStoreError) {
        var made = ""
        for component in folder.split(separator: "/") {
            made += "/\(component)"
            // Others have no business in a folder that we make.
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

/// The permission could not be kept on disk.
public struct PermissionStoreError: Error, Equatable, CustomStringConvertible {
    /// What was attempted, a verb.
    public let operation: String
    /// The file or folder.
    public let path: String
    /// What the system said.
    public let detail: String

    /// One line: what failed, on what, why; and what to do.
    public var description: String {
        "Cannot \(operation) \(path): \(detail). Make it writable, or set XDG_CONFIG_HOME to a folder that is."
    }
}
