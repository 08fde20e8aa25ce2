import Glibc

/// The failure of an operation on a sound file: the operation, the file, the reason and the remedy.
///
/// It reports a fault of the file or the system. A caller's mistake (a sample count that is not a multiple of the
/// channel count) stops at a precondition instead.
public struct AudioError: Error, Equatable, CustomStringConvertible {
    /// The reasons that a program can distinguish. A retry helps only if the case says so.
    public enum Kind: String, CaseIterable, Sendable {
        /// The file, or the directory it should go to, does not exist.
        case notFound
        /// The system denies access.
        case notPermitted
        /// The path names a directory.
        case isDirectory
        /// A file of that name exists, and the caller did not allow it to be replaced.
        case exists
        /// The path names a device, a pipe or an open descriptor where the operation needs a regular file.
        case notRegularFile
        /// The input is empty.
        case empty
        /// The content is not a sound file of a known kind.
        case notAudio
        /// The content is sound in an encoding, with a channel count or at a sample rate that the reader does not
        /// support.
        case unsupported
        /// The file begins like a sound file, but is inconsistent or ends too early.
        case damaged
        /// The description of headerless samples does not have the form `encoding:rate[:channels]`.
        case badRawFormat
        /// The system failed while reading. With a device or a network file, a retry may succeed.
        case cannotRead
        /// The system failed while writing. A retry may succeed.
        case cannotWrite
        /// The disk or the quota is full. A retry succeeds once space is free.
        case noSpace
        /// The program that reads the output has ended.
        case brokenPipe
        /// The samples exceed what the file format can hold, or a gap exceeds what a recording accepts.
        case tooLarge
    }

    /// The reason, for programs to compare.
    public let kind: Kind

    /// The attempted operation, a verb: "open", "read", "write", "parse".
    public let operation: String

    /// The file as the caller named it, or "standard input", "standard output".
    public let path: String

    /// The reason as the library or the system gave it: a clause without a full stop.
    public let detail: String

    /// The remedy: a sentence without a full stop.
    public let advice: String

    /// Creates an error from its parts.
    public init(_ kind: Kind, operation: String, path: String, detail: String, advice: String) {
        self.kind = kind
        self.operation = operation
        self.path = path
        self.detail = detail
        self.advice = advice
    }

    /// One line: operation, file, reason and remedy.
    public var description: String {
        "Cannot \(operation) \(path): \(detail). \(advice)."
    }
}

extension AudioError {
    /// The error of a system call that left `code` in `errno`; `fallback` is the kind of every code without a case of
    /// its own.
    package static func system(_ code: CInt, operation: String, path: String, fallback: Kind) -> AudioError {
        if path.isEmpty {
            return AudioError(
                .notFound, operation: operation, path: "\"\"", detail: "the file name is empty",
                advice: "Name a file")
        }
        let (kind, advice): (Kind, String) =
            switch code {
            case ENOENT, ENOTDIR:
                (
                    .notFound,
                    fallback == .cannotWrite
                        ? "Create the directory first, or name another one" : "Check the name and the directory"
                )
            case ELOOP: (.notFound, "Its links lead back to each other; name the file itself")
            case ENAMETOOLONG: (.notFound, "Give a shorter name")
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
