import EarshotAudio
package import EarshotConsole
package import EarshotSystem

extension InputFile {
    /// The content of a file; "-" is standard input.
    /// - Parameter purpose: names the kind of file in the error if it is too large.
    /// - Throws: `Failure` if the file cannot be read, or has more bytes than the maximum.
    package static func read(
        _ path: FilePath, maximumByteCount: Int, _ purpose: String
    ) throws(Failure) -> [UInt8] {
        do {
            return try read(path, maximumByteCount: maximumByteCount)
        } catch .system(let code) {
            throw Failure(
                reading: .system(code, operation: "read", path: path.description, fallback: .cannotRead))
        } catch {
            throw Failure(
                .data, "\(path.escapedForTerminal) has more than \(maximumByteCount) bytes, the maximum of \(purpose).")
        }
    }
}
