import Glibc

/// The folder of a program's configuration: `$XDG_CONFIG_HOME/<application identifier>`, below `~/.config` by default.
struct ConfigurationFolder: Sendable, Hashable {
    /// The folder, which need not exist.
    let path: String
    /// The identifier as a valid file name.
    let name: String

    /// File systems allow 255 bytes, and suffixes are added to the name.
    private static let maximumNameByteCount = 200

    /// - Parameter base: replaces `$XDG_CONFIG_HOME`; nil for that.
    init(applicationIdentifier: String, base: String? = nil) {
        name = Self.fileName(applicationIdentifier)
        path = "\(base ?? Self.systemBase)/\(name)"
    }

    /// One path component, whatever the identifier contains.
    private static func fileName(_ identifier: String) -> String {
        var bytes = identifier.utf8.map { $0 == UInt8(ascii: "/") || $0 < 0x20 || $0 == 0x7F ? UInt8(ascii: "-") : $0 }
        bytes = Array(bytes.prefix(maximumNameByteCount))
        let name = String(decoding: bytes, as: UTF8.self)
        return ["", ".", ".."].contains(name) ? "unnamed" : name
    }

    /// XDG: a relative path in the variable is ignored.
    private static var systemBase: String {
        if let base = environment("XDG_CONFIG_HOME"), base.hasPrefix("/") { return base }
        return "\(environment("HOME") ?? "")/.config"
    }

    private static func environment(_ name: String) -> String? {
        getenv(name).map { String(cString: $0) }
    }
}
