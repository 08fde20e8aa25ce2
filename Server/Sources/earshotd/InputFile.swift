import ArgumentParser
import FoundationEssentials
import Glibc

/// Reads a small file that the operator names.
enum InputFile {
    /// The code of sysexits.h for an input file that cannot be read.
    private static let noInput = ExitCode(66)

    /// - Parameters:
    ///   - path: the path; `-` for standard input.
    ///   - maximumCount: one byte more is read, so that the caller sees that the file is too large.
    static func read(_ path: String, upTo maximumCount: Int) throws -> Data {
        let descriptor = path == "-" ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw failure(path) }
        defer { if descriptor != STDIN_FILENO { close(descriptor) } }
        var content = Data()
        var buffer = [UInt8](repeating: 0, count: maximumCount + 1)
        while content.count <= maximumCount {
            let count = Glibc.read(descriptor, &buffer, buffer.count)
            guard count >= 0 else {
                if errno == EINTR { continue }
                throw failure(path)
            }
            if count == 0 { break }
            content.append(contentsOf: buffer[..<count])
        }
        return content
    }

    private static func failure(_ path: String) -> ExitCode {
        printError("Error: cannot read '\(path)': \(String(cString: strerror(errno))).")
        return noInput
    }
}
