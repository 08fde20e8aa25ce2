package import Glibc

/// One open file descriptor; `deinit` closes it.
package final class Descriptor: Sendable {
    package let number: CInt

    /// Takes ownership of `number`.
    package init(owning number: CInt) {
        self.number = number
    }

    deinit {
        _ = close(number)
    }

    /// Opens `path`; on failure nil, with the reason in `errno`.
    package convenience init?(opening path: FilePath, flags: CInt, mode: mode_t = 0o666) {
        var number: CInt
        repeat {
            number = path.withCString { open($0, flags | O_CLOEXEC, mode) }
        } while number < 0 && errno == EINTR
        guard number >= 0 else { return nil }
        self.init(owning: number)
    }

    /// A second descriptor for the same open file; on failure nil, with the reason in `errno`.
    package convenience init?(duplicating other: CInt) {
        let number = fcntl(other, F_DUPFD_CLOEXEC, 0)
        guard number >= 0 else { return nil }
        self.init(owning: number)
    }

    /// The result of `fstat`; on failure nil, with the reason in `errno`.
    package var status: stat? {
        var status = stat()
        return fstat(number, &status) == 0 ? status : nil
    }
}

extension stat {
    package var isRegularFile: Bool { st_mode & S_IFMT == S_IFREG }
    package var isDirectory: Bool { st_mode & S_IFMT == S_IFDIR }
}
