import Glibc

/// A folder of files that only their owner can read and write.
///
/// A write creates a new file, forces it to the disk, renames it over the old one, and forces the folder to the disk.
/// After a crash or a power failure at any moment the file is the old or the new one, and a write that has returned is
/// on the disk.
package struct PrivateFolder: Sendable {
    /// A failure of the file system.
    package struct Failure: Error, Hashable, CustomStringConvertible {
        package var operation: String
        package var path: String
        package var detail: String
        /// Whether the system failed, perhaps temporarily; otherwise the cause is the file or the folder.
        package var isSystem = false

        package init(operation: String, path: String, detail: String, isSystem: Bool = false) {
            self.operation = operation
            self.path = path
            self.detail = detail
            self.isSystem = isSystem
        }

        package var description: String { "Cannot \(operation) \(path): \(detail)." }
    }

    /// The prefix of the names of unfinished writes.
    package static let temporaryPrefix = ".new-"

    package let path: String

    package init(_ path: String) { self.path = path }

    /// Creates the folder if it is missing, and checks that only its owner can change it.
    package func make() throws(Failure) {
        try create()
        try check()
    }

    /// Creates the folder, and those above it, if they are missing; they are private to their owner.
    package func create() throws(Failure) {
        var made = ""
        for component in path.split(separator: "/") {
            made += "/\(component)"
            guard mkdir(made, 0o700) != 0, errno != EEXIST else { continue }
            // A folder above one's own may be on a file system that says something else first.
            let code = errno
            if access(made, F_OK) != 0 { throw failure("create", made, code) }
        }
    }

    /// Checks that only the folder's owner can change it and its files. A missing folder is no failure.
    package func check() throws(Failure) {
        guard access(path, F_OK) == 0 else { return }
        if let flaw = PathOwnership.flaw(of: path) {
            throw Failure(operation: "use", path: path, detail: Self.remedy(of: flaw))
        }
    }

    private static func remedy(of flaw: String) -> String {
        "it \(flaw). Make it yours alone, with chown and chmod go-w"
    }

    /// The names in the folder, without those of unfinished writes; none if there is no folder.
    package var names: [String] {
        get throws(Failure) { try entries().filter { !$0.hasPrefix(Self.temporaryPrefix) } }
    }

    /// Removes the files of unfinished writes. No other program may write meanwhile: hold the lock.
    package func tidy() {
        for name in (try? entries()) ?? [] where name.hasPrefix(Self.temporaryPrefix) { unlink("\(path)/\(name)") }
    }

    private func entries() throws(Failure) -> [String] {
        guard let stream = opendir(path) else {
            if errno == ENOENT || errno == ENOTDIR { return [] }
            throw failure("list", path)
        }
        defer { closedir(stream) }
        var names: [String] = []
        errno = 0
        while let entry = readdir(stream) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) {
                String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name != ".", name != ".." { names.append(name) }
            errno = 0
        }
        guard errno == 0 else { throw failure("list", path) }
        return names.sorted()
    }

    /// Runs work that does not overlap with such work of other programs.
    /// - Throws: `Failure` if another program holds the lock for 10 s, and the errors of the work.
    package func locked<Result>(_ work: () throws(Failure) -> Result) throws(Failure) -> Result {
        let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw failure("open", path) }
        defer { close(descriptor) }
        for _ in 0..<5_000 {
            if flock(descriptor, LOCK_EX | LOCK_NB) == 0 { return try work() }
            usleep(2_000)
        }
        throw Failure(operation: "lock", path: path, detail: "another program holds it")
    }

    /// Writes a file.
    package func write(_ bytes: [UInt8], to name: String) throws(Failure) {
        let temporary = "\(path)/\(Self.temporaryPrefix)\(getpid())-\(UInt64.random(in: 0 ... .max))"
        let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw failure("create", temporary) }
        // The umask may have removed permissions of the owner.
        let isWritten =
            fchmod(descriptor, 0o600) == 0 && Self.write(bytes, to: descriptor) && fsync(descriptor) == 0
        let code = errno
        close(descriptor)
        guard isWritten, rename(temporary, "\(path)/\(name)") == 0 else {
            let code = isWritten ? errno : code
            unlink(temporary)
            throw failure("write", "\(path)/\(name)", code)
        }
        try settle()
    }

    /// Removes a file; a missing one is no failure.
    package func remove(_ name: String) throws(Failure) {
        if unlink("\(path)/\(name)") != 0 {
            guard errno == ENOENT || errno == ENOTDIR else { throw failure("remove", "\(path)/\(name)") }
            return
        }
        try settle()
    }

    /// Reads a file of a bounded size that belongs to the user or root and that only they may write.
    /// - Returns: nil if there is no such file.
    package func read(_ name: String, maximumByteCount: Int) throws(Failure) -> [UInt8]? {
        let file = "\(path)/\(name)"
        // A pipe or a device in place of the file must not block.
        let descriptor = open(file, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY)
        guard descriptor >= 0 else {
            if errno == ENOENT || errno == ENOTDIR { return nil }
            // A link or a socket, which stays one.
            var failure = failure("read", file)
            failure.isSystem = errno != ELOOP && errno != ENXIO
            throw failure
        }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw failure("read", file) }
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw Failure(operation: "read", path: file, detail: "it is not a regular file")
        }
        if let flaw = PathOwnership.flaw(of: status) {
            throw Failure(operation: "use", path: file, detail: Self.remedy(of: flaw))
        }
        guard status.st_size <= maximumByteCount else {
            throw Failure(operation: "read", path: file, detail: "it has \(status.st_size) bytes")
        }
        // One byte more than the file's size, to notice whether it grows.
        var bytes = [UInt8](repeating: 0, count: Int(status.st_size) + 1)
        var length = 0
        while length < bytes.count {
            let count = bytes[length...].withUnsafeMutableBytes { Glibc.read(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw failure("read", file) }
            if count == 0 { break }
            length += count
        }
        guard length < bytes.count else {
            throw Failure(operation: "read", path: file, detail: "it grew while it was read", isSystem: true)
        }
        return Array(bytes.prefix(length))
    }

    /// Forces the folder's entries to the disk.
    private func settle() throws(Failure) {
        let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw failure("open", path) }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw failure("write", path) }
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

    private func failure(_ operation: String, _ path: String, _ code: CInt = errno) -> Failure {
        Failure(operation: operation, path: path, detail: String(cString: strerror(code)).lowercased(), isSystem: true)
    }
}
