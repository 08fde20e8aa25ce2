import Glibc

/// A file that is read whole, up to a maximum.
public enum InputFile {
    /// The reason why a file cannot be read.
    public enum Problem: Error, Hashable, Sendable {
        /// The system refused to open or read it, with this `errno`.
        case system(CInt)
        /// It has more bytes than the maximum.
        case tooLarge
    }

    /// The content of a file.
    /// - Parameters:
    ///   - path: the path; "-" is standard input.
    ///   - maximumByteCount: the maximum size, 0 or more.
    public static func read(_ path: FilePath, maximumByteCount: Int) throws(Problem) -> [UInt8] {
        let opened =
            path == "-"
            ? Descriptor(duplicating: STDIN_FILENO) : Descriptor(opening: path, flags: O_RDONLY)
        guard let descriptor = opened else { throw .system(errno) }
        // One byte more than the maximum is enough to show that the file is too large.
        var bytes = [UInt8](repeating: 0, count: maximumByteCount + 1)
        var count = 0
        while count < bytes.count {
            let received = bytes.withUnsafeMutableBytes {
                Glibc.read(descriptor.number, $0.baseAddress! + count, $0.count - count)
            }
            if received == 0 { break }
            if received > 0 { count += received } else if errno != EINTR { throw .system(errno) }
        }
        guard count <= maximumByteCount else { throw .tooLarge }
        return Array(bytes[..<count])
    }
}
