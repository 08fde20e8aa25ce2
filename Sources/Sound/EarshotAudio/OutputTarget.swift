package import EarshotSystem
import Glibc

/// The destination of a finished file: a name in a directory, or a descriptor that a rename cannot replace.
package struct OutputTarget {
    /// The destination as errors show it.
    let name: String

    private enum Place {
        /// The file that `path` resolves to through all links, and the permissions to keep if it exists.
        case file(resolvedPath: FilePath, permissions: mode_t?)
        case stream(Descriptor)
    }

    private let place: Place

    /// False if an existing file must stay, which then is an error.
    private let replacesExisting: Bool

    init(descriptor: CInt, name: String) throws(AudioError) {
        self.name = name
        replacesExisting = true
        place = try Self.duplicate(descriptor, name: name)
    }

    /// The file, device or pipe at `path`, which may exist.
    ///
    /// - Parameter replacesExisting: false refuses a file that exists.
    /// - Throws: the `AudioError`s of `WAVWriter.init(path:sampleRateHertz:channelCount:format:)`; `exists` for a file
    ///   that must stay.
    package init(path: FilePath, replacesExisting: Bool = true) throws(AudioError) {
        name = path.description
        self.replacesExisting = replacesExisting
        place =
            if let number = Self.descriptorNumber(path) {
                try Self.duplicate(number, name: name)
            } else {
                try Self.place(at: path, replacesExisting: replacesExisting)
            }
    }

    /// A regular file that can be rewritten while it grows: not a pipe, a device or "-".
    init(rewritablePath path: FilePath, replacesExisting: Bool) throws(AudioError) {
        name = path.description
        let status = path.status
        let isStream = status.map { !$0.isRegularFile && !$0.isDirectory } ?? false
        guard path != "-", Self.descriptorNumber(path) == nil, !isStream else {
            throw AudioError(
                .notRegularFile, operation: "record to", path: name,
                detail: "only a file can have its header brought up to date while it grows",
                advice: "Name a file, such as recording.wav")
        }
        self.replacesExisting = replacesExisting
        place = try Self.place(at: path, replacesExisting: replacesExisting)
    }

    /// The open descriptor that `path` names, of any kind; nil if it names none, -1 if its number is malformed.
    private static func descriptorNumber(_ path: FilePath) -> CInt? {
        switch path {
        case "/dev/stdout": STDOUT_FILENO
        case "/dev/stderr": STDERR_FILENO
        case _ where path.hasPrefix("/dev/fd/"): CInt(path.name.description) ?? -1
        default: nil
        }
    }

    private static func duplicate(_ number: CInt, name: String) throws(AudioError) -> Place {
        guard let descriptor = Descriptor(duplicating: number) else {
            throw .system(errno, operation: "write", path: name, fallback: .cannotWrite)
        }
        return .stream(descriptor)
    }

    private static func place(at path: FilePath, replacesExisting: Bool) throws(AudioError) -> Place {
        func failure(_ code: CInt) -> AudioError {
            .system(code, operation: "write", path: path.description, fallback: .cannotWrite)
        }
        guard let status = path.status else {
            let code = errno
            guard code == ENOENT, !path.isEmpty, !path.hasSuffix("/") else { throw failure(code) }
            return .file(resolvedPath: path, permissions: nil)
        }
        if status.isDirectory { throw failure(EISDIR) }
        if status.isRegularFile {
            guard replacesExisting else { throw failure(EEXIST) }
            guard path.withCString({ access($0, W_OK) }) == 0, let resolved = path.resolved else {
                throw failure(errno)
            }
            return .file(resolvedPath: resolved, permissions: status.st_mode & 0o777)
        }
        guard let descriptor = Descriptor(opening: path, flags: O_WRONLY) else { throw failure(errno) }
        return .stream(descriptor)
    }

    /// Creates the file that takes the content until `publish`.
    func makeTemporaryFile() throws(AudioError) -> TemporaryFile {
        let file: TemporaryFile? =
            switch place {
            case .file(let resolvedPath, _):
                TemporaryFile.create(inDirectory: resolvedPath.directory)
            case .stream: TemporaryFile.spool()
            }
        guard let file else {
            throw .system(errno, operation: "write", path: name, fallback: .cannotWrite)
        }
        return file
    }

    /// Moves or copies `file` to the destination.
    func publish(_ file: TemporaryFile) throws(AudioError) {
        switch place {
        case .file(let resolvedPath, let permissions):
            if let permissions { _ = fchmod(file.descriptor.number, permissions) }
            guard replacesExisting ? file.publish(as: resolvedPath) : file.publishAsNew(resolvedPath) else {
                throw .system(errno, operation: "write", path: name, fallback: .cannotWrite)
            }
        case .stream(let descriptor):
            guard lseek(file.descriptor.number, 0, SEEK_SET) == 0 else {
                throw .system(errno, operation: "write", path: name, fallback: .cannotWrite)
            }
            try ByteStream(file.descriptor).copyAll(to: descriptor, path: name)
        }
    }

    /// Writes the whole content: a file appears complete or not at all.
    ///
    /// - Throws: `AudioError` if the system fails: `brokenPipe` if the reader of the output has ended, otherwise mostly
    ///   `noSpace` or `cannotWrite`.
    package func write(_ bytes: UnsafeRawBufferPointer) throws(AudioError) {
        if case .stream(let descriptor) = place {
            if let code = descriptor.writeAll(bytes) {
                throw .system(code, operation: "write", path: name, fallback: .cannotWrite)
            }
            return
        }
        let file = try makeTemporaryFile()
        if let code = file.descriptor.writeAll(bytes) {
            throw .system(code, operation: "write", path: name, fallback: .cannotWrite)
        }
        try publish(file)
    }
}
