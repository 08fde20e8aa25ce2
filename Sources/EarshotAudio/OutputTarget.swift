import Glibc

/// Where a finished file goes: to a name in a directory, or into something that cannot be replaced by renaming.
struct OutputTarget {
    /// As the caller named it.
    let path: String

    private enum Place {
        /// The file that `path` leads to through all links, and the permissions to keep if it exists.
        case file(resolvedPath: String, permissions: mode_t?)
        case stream(Descriptor)
    }

    private let place: Place

    init(descriptor: CInt, name: String) throws(AudioError) {
        path = name
        place = try Self.duplicate(descriptor, name: name)
    }

    init(path: String) throws(AudioError) {
        self.path = path
        // These names mean an open descriptor, whatever is behind it.
        place =
            switch path {
            case "/dev/stdout": try Self.duplicate(STDOUT_FILENO, name: path)
            case "/dev/stderr": try Self.duplicate(STDERR_FILENO, name: path)
            case _ where path.hasPrefix("/dev/fd/"):
                try Self.duplicate(CInt(path.dropFirst(8)) ?? -1, name: path)
            default: try Self.place(at: path)
            }
    }

    private static func duplicate(_ number: CInt, name: String) throws(AudioError) -> Place {
        guard let descriptor = Descriptor(duplicating: number) else {
            throw .system(errno, operation: "write", path: name, fallback: .cannotWrite)
        }
        return .stream(descriptor)
    }

    private static func place(at path: String) throws(AudioError) -> Place {
        func failure(_ code: CInt) -> AudioError {
            .system(code, operation: "write", path: path, fallback: .cannotWrite)
        }
        var status = stat()
        guard stat(path, &status) == 0 else {
            let code = errno
            guard code == ENOENT, !path.isEmpty, !path.hasSuffix("/") else { throw failure(code) }
            return .file(resolvedPath: path, permissions: nil)
        }
        if status.isDirectory { throw failure(EISDIR) }
        if status.isRegularFile {
            guard access(path, W_OK) == 0, let resolved = realpath(path, nil) else { throw failure(errno) }
            defer { free(resolved) }
            return .file(resolvedPath: String(cString: resolved), permissions: status.st_mode & 0o777)
        }
        guard let descriptor = Descriptor(opening: path, flags: O_WRONLY) else { throw failure(errno) }
        return .stream(descriptor)
    }

    /// The file to write meanwhile.
    func makeTemporaryFile() throws(AudioError) -> TemporaryFile {
        let file: TemporaryFile? =
            switch place {
            case .file(let resolvedPath, _):
                TemporaryFile.create(inDirectory: TemporaryFile.directory(of: resolvedPath))
            case .stream: TemporaryFile.spool()
            }
        guard let file else {
            throw .system(errno, operation: "write", path: path, fallback: .cannotWrite)
        }
        return file
    }

    /// Puts the complete `file` where it belongs.
    func publish(_ file: TemporaryFile) throws(AudioError) {
        switch place {
        case .file(let resolvedPath, let permissions):
            if let permissions { _ = fchmod(file.descriptor.number, permissions) }
            guard file.publish(as: resolvedPath) else {
                throw .system(errno, operation: "write", path: path, fallback: .cannotWrite)
            }
        case .stream(let descriptor):
            guard lseek(file.descriptor.number, 0, SEEK_SET) == 0 else {
                throw .system(errno, operation: "write", path: path, fallback: .cannotWrite)
            }
            try ByteStream(file.descriptor).copyAll(to: descriptor, path: path)
        }
    }
}
