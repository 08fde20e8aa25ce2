public import ArgumentParser
import EarshotSystem
import Glibc

/// The arguments of this process as text that keeps their bytes.
///
/// A Swift string replaces bytes that are not UTF-8. Here each of them becomes U+0000 and the character of the byte's
/// value. No argument holds U+0000 otherwise, so the bytes come back.
package enum ProgramArguments {
    private static let mark: Unicode.Scalar = "\u{0}"

    /// The arguments after the program's name.
    ///
    /// Swift reads them through /proc. If that fails, Swift reports no arguments at all, not even a name. The program
    /// would then act as without arguments: print its help and report success.
    package static var all: [String] {
        get throws(Failure) {
            guard CommandLine.argc > 0 else {
                throw Failure(
                    .inputOutput,
                    "Cannot read the arguments of this program: /proc/self/maps cannot be opened. Mount /proc, and check whether "
                        + "too many files are open.")
            }
            return (1..<Int(CommandLine.argc)).compactMap { index in
                CommandLine.unsafeArgv[index].map { argument in
                    text(of: UnsafeRawBufferPointer(start: argument, count: strlen(argument)).map(\.self))
                }
            }
        }
    }

    /// The text for an argument's bytes.
    package static func text(of bytes: [UInt8]) -> String {
        if let text = String(validating: bytes, as: UTF8.self) { return text }
        var text = String.UnicodeScalarView()
        for piece in UTF8Piece.pieces(of: bytes) {
            switch piece {
            case .scalar(let scalar): text.append(scalar)
            case .byte(let byte): text += [mark, Unicode.Scalar(byte)]
            }
        }
        return String(text)
    }

    /// The bytes of an argument that `text` or `all` made.
    package static func bytes(of argument: String) -> [UInt8] {
        guard !isUTF8(argument) else { return Array(argument.utf8) }
        var bytes: [UInt8] = []
        var scalars = argument.unicodeScalars.makeIterator()
        while let scalar = scalars.next() {
            if scalar == mark, let byte = scalars.next() {
                bytes.append(UInt8(truncatingIfNeeded: byte.value))
            } else {
                bytes += Array(String(scalar).utf8)
            }
        }
        return bytes
    }

    /// Whether the argument's bytes are UTF-8.
    package static func isUTF8(_ argument: String) -> Bool { !argument.unicodeScalars.contains(mark) }

    /// Refuses arguments that are text for people or other programs and whose bytes are not UTF-8.
    /// - Throws: `ValidationError` that names the option.
    package static func requireUTF8(_ arguments: [(option: String, text: String?)]) throws(ValidationError) {
        for (option, text) in arguments where text.map(isUTF8) == false {
            throw ValidationError("\(option): the text is not UTF-8.")
        }
    }
}

extension FilePath: ExpressibleByArgument {
    package init?(argument: String) {
        self.init(bytes: ProgramArguments.bytes(of: argument))
    }

    package static var defaultCompletionKind: CompletionKind { .file() }

    /// The path for a line on a terminal.
    package var escapedForTerminal: String { description.escapedForTerminal }
}
