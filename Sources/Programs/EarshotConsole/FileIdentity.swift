package import EarshotSystem
import Glibc

/// A regular file, independent of the names and links that lead to it.
///
/// A device or a pipe has none: a program may read and write it at once.
struct FileIdentity: Hashable {
    private let device: dev_t
    private let number: ino_t

    /// The file at a path, or of `descriptor` for "-"; nil if there is no regular file.
    init?(_ path: FilePath, descriptor: CInt) {
        var status = stat()
        if path == "-" {
            guard fstat(descriptor, &status) == 0 else { return nil }
        } else {
            guard let found = path.status else { return nil }
            status = found
        }
        guard status.st_mode & S_IFMT == S_IFREG else { return nil }
        device = status.st_dev
        number = status.st_ino
    }
}

extension FilePath {
    /// Refuses to write the file if it is one of the files to read. "-" is standard output, and among `inputs` standard
    /// input.
    /// - Throws: `Failure` that names both.
    package func requireDistinct(from inputs: [FilePath]) throws(Failure) {
        let identity = FileIdentity(self, descriptor: STDOUT_FILENO)
        for input in inputs {
            let isSame =
                if let identity { identity == FileIdentity(input, descriptor: STDIN_FILENO) } else {
                    self == input && self != "-" && status == nil
                }
            guard isSame else { continue }
            let output = self == "-" ? "standard output" : escapedForTerminal
            let other = input == "-" ? "standard input" : input.escapedForTerminal
            throw Failure(
                .usage,
                "Cannot write \(output): it is the same file as the input\(other == output ? "" : " \(other)"). "
                    + "Name another file for the output.")
        }
    }
}
