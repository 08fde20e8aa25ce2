import Glibc

/// A file that is invisible to other processes until it is complete.
///
/// If the file system supports `O_TMPFILE` (ext4, xfs, btrfs, tmpfs), the file has no name, so even a killed process
/// leaves no file. Otherwise it has a random hidden name in the same directory, which `deinit` removes.
package final class TemporaryFile {
    package let descriptor: Descriptor

    /// The name to remove, if there is one.
    private var temporaryPath: FilePath?

    private init(_ descriptor: Descriptor, path: FilePath?) {
        self.descriptor = descriptor
        temporaryPath = path
    }

    deinit {
        _ = temporaryPath?.withCString { unlink($0) }
    }

    /// Opens a file for reading and writing in `directory`; on failure nil, with the reason in `errno`.
    ///
    /// - Parameter allowsUnnamed: false forces the method for file systems without `O_TMPFILE`.
    package static func create(inDirectory directory: FilePath, allowsUnnamed: Bool = true) -> TemporaryFile? {
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

    /// A file for temporary data that never gets a name; on failure nil, with the reason in `errno`.
    package static func spool() -> TemporaryFile? {
        let directory = getenv("TMPDIR").map { FilePath($0) } ?? ""
        guard let file = create(inDirectory: directory.isEmpty ? "/tmp" : directory) else { return nil }
        _ = file.temporaryPath?.withCString { unlink($0) }
        file.temporaryPath = nil
        return file
    }

    /// Gives the file its name in one step and replaces an existing file. On failure false, with the reason in `errno`.
    package func publish(as path: FilePath) -> Bool {
        guard flush() else { return false }
        if temporaryPath == nil {
            if link(as: path) { return true }
            guard errno == EEXIST else { return false }
            // A link does not replace an existing file; a rename does.
            let name = Self.randomPath(inDirectory: path.directory)
            guard link(as: name) else { return false }
            temporaryPath = name
        }
        guard let temporaryPath, temporaryPath.withCString({ old in path.withCString { rename(old, $0) } }) == 0 else {
            return false
        }
        self.temporaryPath = nil
        return true
    }

    /// Gives the file its name unless the name is in use. On failure false, with the reason in `errno` (`EEXIST` if in
    /// use).
    package func publishAsNew(_ path: FilePath) -> Bool {
        if temporaryPath == nil { return flush() && link(as: path) }
        // File systems without unnamed files may lack links too, so an empty file claims the name.
        guard Descriptor(opening: path, flags: O_WRONLY | O_CREAT | O_EXCL) != nil else { return false }
        if publish(as: path) { return true }
        let code = errno
        _ = path.withCString { unlink($0) }
        errno = code
        return false
    }

    /// Gives a file without a name this one. On failure false, with the reason in `errno`.
    private func link(as path: FilePath) -> Bool {
        let source = "/proc/self/fd/\(descriptor.number)"
        return path.withCString { linkat(AT_FDCWD, source, AT_FDCWD, $0, AT_SYMLINK_FOLLOW) } == 0
    }

    /// Passes all data to the file system. On failure false, with the reason in `errno`.
    ///
    /// Network file systems report a full disk only when a descriptor of the file is closed.
    private func flush() -> Bool {
        let duplicate = fcntl(descriptor.number, F_DUPFD_CLOEXEC, 0)
        return duplicate >= 0 && close(duplicate) == 0
    }

    private static func randomPath(inDirectory directory: FilePath) -> FilePath {
        let number = UInt64.random(in: .min ... .max)
        return directory.appending("/.earshot-\(String(number, radix: 36)).tmp")
    }
}
