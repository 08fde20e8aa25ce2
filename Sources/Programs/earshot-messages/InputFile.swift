import EarshotAudio
import EarshotConsole
import Foundation

/// A file that is read whole.
enum InputFile {
    /// The content of a file; "-" is standard input.
    /// - Parameter purpose: what the file is, for the error if it is too large.
    /// - Throws: `Failure` if the file cannot be read, or has more bytes than the maximum.
    static func read(_ path: FilePath, maximumByteCount: Int, _ purpose: String) throws(Failure) -> Data {
        let descriptor = path == "-" ? dup(STDIN_FILENO) : path.withCString { open($0, O_RDONLY | O_CLOEXEC) }
        guard descriptor >= 0 else { throw failure(path) }
        defer { close(descriptor) }
        // One byte more than the maximum shows that the file is too large, whatever its size.
        var bytes = [UInt8](repeating: 0, count: maximumByteCount + 1)
        var count = 0
        while count < bytes.count {
            let received = bytes.withUnsafeMutableBytes {
                Glibc.read(descriptor, $0.baseAddress! + count, $0.count - count)
            }
            if received == 0 { break }
            if received > 0 { count += received } else if errno != EINTR { throw failure(path) }
        }
        guard count <= maximumByteCount else {
            throw Failure(
                .data,
                "\(path.escapedForTerminal) has more than \(maximumByteCount) bytes, the maximum of \(purpose).")
        }
        return Data(bytes[..<count])
    }

    /// The failure that the last system call left in `errno`.
    private static func failure(_ path: FilePath) -> Failure {
        Failure(reading: .system(errno, operation: "read", path: path.description, fallback: .cannotRead))
    }
}
