import Glibc

/// A file that other processes do not see until it is complete.
///
/// Where the file system supports `O_TMPFILE` (ext4, xfs, btrfs, tmpfs), the file has no name, so even a killed process
/// leaves nothing behind. Elsewhere it has a random hidden name in the same directory, which `deinit` removes.
final class TemporaryFile {
    let descriptor: Descriptor

    /// The name to remove, if there is one.
    private var temporaryPath: String?

    private init(_ descriptor: Descriptor, path: String?) {
        self.descriptor = descriptor
        temporaryPath = path
    }

    deinit {
        if let temporaryPath { _ = unlink(temporaryPath) }
    }

    /// Opens a file for reading and writing in `directory`; on failure nil, with the reason in `errno`.
    ///
    /// - Parameter allowsUnnamed: false forces the method for file systems without `O_TMPFILE`.
    static func create(inDirectory directory: String, allowsUnnamed: Bool = true) -> TemporaryFile? {
        // O_TMPFILE is a C expression that Swift does not import: its own bit, and O_DIRECTORY.
        let unnamed = 0o20_000_000 | O_DIRECTORY
        if allowsUnnamed, let descriptor = Descriptor(opening: directory, flags: unnamed | O_RDWR),
            access("/proc/self/fd/\(descriptor.number)", F_OK) == 0
        {
            return TemporaryFile(descriptor, path: nil)
        }
        let path = randomPath(inDirectory: directory)
        guard let descriptor = Descriptor(opening: path, flags: O_RDWR | O_CREAT | O_EXCL) else { return nil }
        return TemporaryFile(descriptor, path: path)
    }

    /// A file for scratch data that never gets a name; on failure nil, with the reason in `errno`.
    static func spool() -> TemporaryFile? {
        let directory = getenv("TMPDIR").map { String(cString: $0) } ?? ""
        guard let file = create(inDirectory: directory.isEmpty ? "/tmp" : directory) else { return nil }
        if let path = file.temporaryPath { _ = unlink(path) }
        file.temporaryPath = nil
        return file
    }

    /// Gives the file its name in one step and replaces an existing file. On failure false, with the reason in `errno`.
    func publish(as path: String) -> Bool {
        if temporaryPath == nil {
            let source = "/proc/self/fd/\(descriptor.number)"
            if linkat(AT_FDCWD, source, AT_FDCWD, path, AT_SYMLINK_FOLLOW) == 0 { return true }
            guard errno == EEXIST else { return false }
            // A link does not replace an existing file; a rename does.
            let name = Self.randomPath(inDirectory: Self.directory(of: path))
            guard linkat(AT_FDCWD, source, AT_FDCWD, name, AT_SYMLINK_FOLLOW) == 0 else { return false }
            temporaryPath = name
        }
        guard let temporaryPath, rename(temporaryPath, path) == 0 else { return false }
        self.temporaryPath = nil
        return true
    }

    /// Gives the file its name unless the name is in use. On failure false, with the reason in `errno` (`EEXIST` if in
    /// use).
    func publishAsNew(_ path: String) -> Bool {
        if temporaryPath == nil {
            let source = "/proc/self/fd/\(descriptor.number)"
            return linkat(AT_FDCWD, source, AT_FDCWD, path, AT_SYMLINK_FOLLOW) == 0
        }
        // File systems without unnamed files may lack links too, so an empty file claims the name.
        guard Descriptor(opening: path, flags: O_WRONLY | O_CREAT | O_EXCL) != nil else { return false }
        if publish(as: path) { return true }
        let code = errno
        _ = unlink(path)
        errno = code
        return false
    }

    /// The directory part of a path.
    static func directory(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    private static func randomPath(inDirectory directory: String) -> String {
        let number = UInt64.random(in: .min ... .max)
        return "\(directory)/.earshot-\(String(number, radix: 36)).tmp"
    }
}
