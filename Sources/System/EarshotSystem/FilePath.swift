package import Glibc

/// A path in the system's form: bytes, which need not be UTF-8.
///
/// A Swift string replaces bytes that are not UTF-8, and would name another file. Programs that take paths from their
/// user pass this type; `description` is for people.
public struct FilePath: Hashable, Sendable, ExpressibleByStringLiteral, CustomStringConvertible {
    /// The path without the 0 at its end.
    package let bytes: [UInt8]

    private static let slash = UInt8(ascii: "/")
    private static let dot = UInt8(ascii: ".")

    /// The path of these bytes; it ends before the first 0, as in the system.
    package init(bytes: some Sequence<UInt8>) {
        self.bytes = Array(bytes.prefix { $0 != 0 })
    }

    /// The path of this text.
    public init(_ text: String) {
        self.init(bytes: text.utf8)
    }

    /// The path of a literal.
    public init(stringLiteral text: String) {
        self.init(text)
    }

    package init(_ text: UnsafePointer<CChar>) {
        bytes = UnsafeRawBufferPointer(start: text, count: strlen(text)).map(\.self)
    }

    /// The path as text: each byte that is not UTF-8 becomes `\xE9`.
    public var description: String {
        if let text = String(validating: bytes, as: UTF8.self) { return text }
        var text = ""
        for piece in UTF8Piece.pieces(of: bytes) {
            switch piece {
            case .scalar(let scalar): text.unicodeScalars.append(scalar)
            case .byte(let byte): text += "\\x" + String(byte, radix: 16, uppercase: true)
            }
        }
        return text
    }

    package var isEmpty: Bool { bytes.isEmpty }

    /// The part after the last slash.
    package var name: FilePath { FilePath(bytes: bytes[nameStart...]) }

    /// The part before the last slash: "." if there is none.
    package var directory: FilePath {
        guard let slash = bytes.lastIndex(of: Self.slash) else { return "." }
        return slash == 0 ? "/" : FilePath(bytes: bytes[..<slash])
    }

    /// The path with text before the extension: `take.wav` and "-2" give `take-2.wav`.
    package func insertingBeforeExtension(_ text: String) -> FilePath {
        // A leading dot hides a file and does not start an extension.
        let dot = bytes[nameStart...].dropFirst().lastIndex(of: Self.dot) ?? bytes.endIndex
        return FilePath(bytes: bytes[..<dot] + text.utf8 + bytes[dot...])
    }

    package func hasPrefix(_ text: String) -> Bool { bytes.starts(with: text.utf8) }

    package func hasSuffix(_ text: String) -> Bool { bytes.suffix(text.utf8.count).elementsEqual(text.utf8) }

    package func appending(_ text: String) -> FilePath { FilePath(bytes: bytes + text.utf8) }

    /// The path of something in this directory.
    package func appending(name: FilePath) -> FilePath { FilePath(bytes: bytes + [Self.slash] + name.bytes) }

    /// The path without the last `count` bytes.
    package func dropLast(_ count: Int) -> FilePath { FilePath(bytes: bytes.dropLast(count)) }

    /// Calls `body` with the bytes and a 0.
    package func withCString<Result>(_ body: (UnsafePointer<CChar>) -> Result) -> Result {
        (bytes + [0]).withUnsafeBytes { body($0.baseAddress!.assumingMemoryBound(to: CChar.self)) }
    }

    /// The result of `stat`, through all links; on failure nil, with the reason in `errno`.
    package var status: stat? {
        var status = stat()
        return withCString { stat($0, &status) } == 0 ? status : nil
    }

    /// The path through all links; on failure nil, with the reason in `errno`.
    package var resolved: FilePath? {
        guard let resolved = withCString({ realpath($0, nil) }) else { return nil }
        defer { free(resolved) }
        return FilePath(resolved)
    }

    private var nameStart: Int { bytes.lastIndex(of: Self.slash).map { $0 + 1 } ?? 0 }
}

/// A part of bytes that may be UTF-8: a character, or a byte that belongs to none.
package enum UTF8Piece: Equatable {
    case scalar(Unicode.Scalar)
    case byte(UInt8)

    /// All parts, in order.
    package static func pieces(of bytes: [UInt8]) -> [UTF8Piece] {
        var pieces: [UTF8Piece] = []
        var parser = Unicode.UTF8.ForwardParser()
        var input = bytes.makeIterator()
        var position = 0
        while true {
            switch parser.parseScalar(from: &input) {
            case .valid(let encoded):
                pieces.append(.scalar(Unicode.UTF8.decode(encoded)))
                position += encoded.count
            case .error(let length):
                pieces += bytes[position..<position + length].map { .byte($0) }
                position += length
            case .emptyInput: return pieces
            }
        }
    }
}
