import Glibc

/// The destination of a finished file: a name in a directory, or a descriptor that a rename cannot replace.
struct OutputTarget {
    /// The path as the caller gave it.
    let path: String

    private enum Place {
        /// The file that `path` resolves to through all links, and the permissions to keep if it exists.
        case file(resolvedPath: String, permissions: mode_t?)
        case stream(Descriptor)
    }

    private let place: Place

    /// False if an existing file must stay, which then is an error.
    private let replacesExisting: Bool

    init(descriptor: CInt, name: String) throws(AudioError) {
        path = name
        replacesExisting = true
        place = try Self.duplicate(descriptor, name: name)
    }

    init(path: String) throws(AudioError) {
        self.path = path
        replacesExisting = true
        place =
            if let number = Self.descriptorNumber(path) {
                try Self.duplicate(number, name: path)
            } else {
                try Self.place(at: path)
            }
    }

    /// A regular file that can be rewritten while it grows: not a pipe, a device or "-".
    init(rewritablePath path: String, replacesExisting: Bool) throws(AudioError) {
        var status = stat()
        let exists = stat(path, &status) == 0
        let isStream = exists && !status.isRegularFile && !status.isDirectory
        guard path != "-", Self.descriptorNumber(path) == nil, !isStream else {
            throw AudioError(
                .notRegularFile, operation: "record to", path: path,
                detail: "only a file can have its header brought up to date while it grows",
                advice: "Name a file, such as recording.wav")
        }
        if exists, !status.isDirectory, !replacesExisting {
            throw .system(EEXIST, operation: "write", path: path, fallback: .cannotWrite)
        }
        self.path = path
        self.replacesExisting = replacesExisting
        place = try Self.place(at: path)
    }

    /// The open descriptor that `path` names, of any kind; nil if it names none, -1 if its number is malformed.
    private static func descriptorNumber(_ path: String) -> CInt? {
        switch path {
        case "/dev/stdout": STDOUT_FILENO
        case "/dev/stderr": STDERR_FILENO
        case _ where path.hasPrefix("/dev/fd/"): CInt(path.dropFirst(8)) ?? -1
        default: nil
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

    /// Creates the file that takes the content until `publish`.
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

    /// Moves or copies `file` to the destination.
    func publish(_ file: TemporaryFile) throws(AudioError) {
        switch place {
        case .file(let resolvedPath, let permissions):
            if let permissions { _ = fchmod(file.descriptor.number, permissions) }
            guard replacesExisting ? file.publish(as: resolvedPath) : file.publishAsNew(resolvedPath) else {
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
