import FoundationEssentials
import Glibc
import NIOCore

/// The files of a web page, read once into memory. A request only looks up a name, so it cannot reach other files.
struct WebFolder: Sendable {
    struct File: Sendable {
        let content: ByteBuffer
        let type: String
        /// The entity tag: the same for the same bytes.
        let tag: String
    }

    /// The files by the paths of requests.
    private var files: [String: File] = [:]
    /// The names that are not served: hidden files, links that lead out of the folder, and entries other than files.
    private(set) var leftOut: [String] = []
    private var byteCount = 0

    static let maximumByteCount = 64 * 1_024 * 1_024
    static let maximumFileCount = 1_000
    private static let maximumDepth = 8
    /// The paths of the API, which files cannot use.
    private static let reserved: Set<String> = ["v1", "healthz"]

    /// Reads a folder.
    /// - Throws: `WebFolderError` if it cannot be read, has no `index.html`, or exceeds the limits above.
    init(_ path: String) throws(WebFolderError) {
        guard let root = Self.resolved(path) else {
            throw Self.unreadable("folder", path)
        }
        guard Self.kind(root) == .typeDirectory else {
            throw WebFolderError("'\(path)' is no folder. Give the folder that has the page's index.html.")
        }
        try read(root, name: "", root: root, depth: 0)
        guard let index = files["/index.html"] else {
            throw WebFolderError(
                "The folder '\(path)' has no index.html; 'make web' writes a page into .build/web/page.")
        }
        files["/"] = index
    }

    /// The file of a request's path; nil if there is none.
    /// - Parameter target: as sent, with its query; percent signs are decoded once.
    func file(at target: String) -> File? {
        Self.decoded(target.prefix { $0 != "?" && $0 != "#" }).flatMap { files[$0] }
    }

    private mutating func read(_ folder: String, name: String, root: String, depth: Int) throws(WebFolderError) {
        guard depth <= Self.maximumDepth else { throw WebFolderError("The folder '\(folder)' is nested too deeply.") }
        let entries: [String]
        do {
            entries = try FileManager.default.contentsOfDirectory(atPath: folder)
        } catch {
            throw WebFolderError("The folder '\(folder)' cannot be read.")
        }
        for entry in entries.sorted() {
            let (path, name) = ("\(folder)/\(entry)", "\(name)/\(entry)")
            guard !entry.hasPrefix("."), depth > 0 || !Self.reserved.contains(entry) else {
                leftOut.append(name)
                continue
            }
            switch Self.kind(path) {
            case .typeDirectory:
                try read(path, name: name, root: root, depth: depth + 1)
                if let index = files[name + "/index.html"] { files[name + "/"] = index }
            case .typeRegular: try add(path, name)
            case .typeSymbolicLink:
                guard let target = Self.resolved(path), target.hasPrefix(root + "/"), Self.kind(target) == .typeRegular
                else {
                    leftOut.append(name)
                    continue
                }
                try add(target, name)
            default: leftOut.append(name)
            }
        }
    }

    /// The error of the latest call of the system.
    private static func unreadable(_ kind: String, _ path: String) -> WebFolderError {
        let remedy =
            errno == EACCES
            ? " The service's user must be able to read it; below /home, systemd's unit lets it read nothing." : ""
        return WebFolderError("The \(kind) '\(path)' cannot be read: \(String(cString: strerror(errno))).\(remedy)")
    }

    private mutating func add(_ path: String, _ name: String) throws(WebFolderError) {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard descriptor >= 0 else {
            throw Self.unreadable("file", path)
        }
        defer { close(descriptor) }
        var content = ByteBuffer()
        var chunk = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = Glibc.read(descriptor, &chunk, chunk.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else {
                throw Self.unreadable("file", path)
            }
            if count == 0 { break }
            content.writeBytes(chunk[..<count])
            byteCount += count
            guard byteCount <= Self.maximumByteCount else {
                throw WebFolderError("The folder has more than \(Self.maximumByteCount) bytes; is it the right one?")
            }
        }
        guard files.count < Self.maximumFileCount else {
            throw WebFolderError("The folder has more than \(Self.maximumFileCount) files; is it the right one?")
        }
        let hash = sha256(content.readableBytesView).prefix(16)
        files[name] = File(content: content, type: Self.type(of: name), tag: "\"\(Array(hash).hex)\"")
    }

    /// The kind of a file; links are a kind of their own.
    private static func kind(_ path: String) -> FileAttributeType? {
        (try? FileManager.default.attributesOfItem(atPath: path))?[.type] as? FileAttributeType
    }

    private static func resolved(_ path: String) -> String? {
        guard let pointer = realpath(path, nil) else { return nil }
        defer { free(pointer) }
        return String(cString: pointer)
    }

    /// The path with its percent signs decoded; nil if one is not followed by two hexadecimal digits, or the result is
    /// not text.
    private static func decoded(_ path: Substring) -> String? {
        var bytes: [UInt8] = []
        var rest = path.utf8[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard let high = rest.popFirst().flatMap(digit), let low = rest.popFirst().flatMap(digit) else {
                return nil
            }
            bytes.append(high << 4 | low)
        }
        return String(validating: bytes, as: UTF8.self)
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        Character(Unicode.Scalar(byte)).hexDigitValue.map(UInt8.init)
    }

    private static func type(of name: String) -> String {
        switch name.split(separator: ".").last?.lowercased() {
        case "html": "text/html; charset=utf-8"
        case "js", "mjs": "text/javascript; charset=utf-8"
        case "css": "text/css; charset=utf-8"
        case "wasm": "application/wasm"
        case "json", "map": "application/json"
        case "webmanifest": "application/manifest+json"
        case "svg": "image/svg+xml"
        case "png": "image/png"
        case "jpg", "jpeg": "image/jpeg"
        case "webp": "image/webp"
        case "ico": "image/x-icon"
        case "txt", "md", "ts": "text/plain; charset=utf-8"
        case "wav": "audio/wav"
        case "flac": "audio/flac"
        default: "application/octet-stream"
        }
    }
}

/// The reason why a folder cannot be served.
struct WebFolderError: Error, CustomStringConvertible, Equatable {
    let description: String

    init(_ description: String) { self.description = description }
}
