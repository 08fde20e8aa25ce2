import ArgumentParser
import EarshotSystem
import Glibc

/// A file of options, one per line: the option's name without the dashes, and its value after a space.
///
///     # What the options mean: earshotd serve --help
///     host 0.0.0.0
///     tls-certificate /etc/earshotd/cert.pem
///     no-operations
enum ConfigurationFile {
    private static let maximumByteCount = 1 << 20

    /// The file's options in the form of command-line arguments.
    /// - Throws: `ValidationError` that names the file, and the line if one is wrong.
    static func arguments(_ path: String) throws(ValidationError) -> [String] {
        let bytes: [UInt8]
        do {
            bytes = try InputFile.read(FilePath(path), maximumByteCount: maximumByteCount)
        } catch .system(let code) {
            throw ValidationError("Cannot read the configuration '\(path)': \(String(cString: strerror(code))).")
        } catch {
            throw ValidationError("'\(path)' is too large for a configuration.")
        }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw ValidationError("'\(path)' is no text in UTF-8, so no configuration.")
        }
        var arguments: [String] = []
        for (index, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated() {
            let line = line.trimmed
            if line.isEmpty || line.hasPrefix("#") { continue }
            let name = line.prefix { !$0.isWhitespace && $0 != "=" }
            let value = line.dropFirst(name.count).trimmed
            guard name != "configuration" else {
                throw ValidationError("'\(path)', line \(index + 1): a configuration cannot name another one.")
            }
            guard !name.isEmpty, !name.hasPrefix("-"), !["help", "version"].contains(name), !value.hasPrefix("=")
            else {
                throw ValidationError(
                    "'\(path)', line \(index + 1): '\(line)' is no option and value, such as 'port 8787'.")
            }
            arguments.append(value.isEmpty ? "--\(name)" : "--\(name)=\(value)")
        }
        return arguments
    }
}

extension StringProtocol {
    fileprivate var trimmed: String {
        var rest = self[...]
        while rest.first?.isWhitespace == true { rest.removeFirst() }
        while rest.last?.isWhitespace == true { rest.removeLast() }
        return String(rest)
    }
}
