import Glibc

/// What went wrong between samples and a sound file: which operation, on what, why, and what would work.
///
/// It is the world's fault, never the caller's: a caller's mistake (a sample count that is no multiple of the
/// channel count) stops at a precondition instead.
public struct AudioError: Error, Equatable, CustomStringConvertible {
    /// The reasons a program may want to tell apart. Trying again helps with none of them, unless it says so.
    public enum Kind: String, CaseIterable, Sendable {
        /// The file, or the directory it should go to, does not exist.
        case notFound
        /// The system refuses access.
        case notPermitted
        /// The path names a directory.
        case isDirectory
        /// A file of that name is there already, and not to be replaced.
        case exists
        /// The path names a device, a pipe or an open descriptor where only a file will do.
        case notRegularFile
        /// There is not a single byte to read.
        case empty
        /// The content is no sound file of a kind we know.
        case notAudio
        /// It is sound, but of a kind, channel count or sample rate that is not read.
        case unsupported
        /// It begins like a sound file and then contradicts itself, or ends too early.
        case damaged
        /// The description of headerless samples is no `encoding:rate[:channels]`.
        case badRawFormat
        /// The system failed while reading. A device or a network file may work at the next attempt.
        case cannotRead
        /// The system failed while writing. It may work at the next attempt.
        case cannotWrite
        /// The disk or the quota is full. Works again when there is space.
        case noSpace
        /// Whoever read our output has gone.
        case brokenPipe
        /// More samples than the file format can hold, or a longer gap than a recording takes.
        case tooLarge
    }

    /// The reason, for programs.
    public let kind: Kind

    /// What was attempted, a verb: "open", "read", "write", "parse".
    public let operation: String

    /// The file as the caller named it, or "standard input", "standard output".
    public let path: String

    /// What the library or the system said, a clause without a full stop.
    public let detail: String

    /// What would work, a sentence without a full stop.
    public let advice: String

    /// Puts an error together from its parts.
    public init(_ kind: Kind, operation: String, path: String, detail: String, advice: String) {
        self.kind = kind
        self.operation = operation
        self.path = path
        self.detail = detail
        self.advice = advice
    }

    /// One line: what failed, on what, why; and what to do.
    public var description: String {
        "Cannot \(operation) \(path): \(detail). \(advice)."
    }
}

extension AudioError {
    /// The error of a system call that left `code` in `errno`; `fallback` is the kind for all codes that
    /// are not told apart.
    static func system(_ code: CInt, operation: String, path: String, fallback: Kind) -> AudioError {
        let (kind, advice): (Kind, String) =
            switch code {
            case ENOENT, ENOTDIR:
                (
                    .notFound,
                    fallback == .cannotWrite
                        ? "Create the directory first, or name another one" : "Check the name and the directory"
                )
            case EACCES, EPERM, EROFS:
                (
                    .notPermitted,
                    fallback == .cannotWrite
                        ? "Choose a directory and file you may write to" : "Ask the owner for permission to read it"
                )
            case EISDIR: (.isDirectory, "Name a file in it")
            case EEXIST: (.exists, "Choose another name, or replace it with --overwrite")
            case ENOSPC, EDQUOT, EFBIG: (.noSpace, "Free some space or choose another place")
            case EPIPE: (.brokenPipe, "Keep the program that reads the output running to its end")
            default:
                (
                    fallback,
                    fallback == .cannotWrite ? "Try another place to write to" : "Try again, or copy the file first"
                )
            }
        return AudioError(
            kind, operation: operation, path: path, detail: String(cString: strerror(code)), advice: advice)
    }
}
