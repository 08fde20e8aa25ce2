import Glibc

/// Where a program keeps what its user decided: `$XDG_CONFIG_HOME/<application identifier>`, `~/.config` by default.
struct ConfigurationFolder: Sendable, Hashable {
    /// The folder. It need not be there.
    let path: String
    /// The identifier, made fit for a file name.
    let name: String

    /// File systems take 255 bytes, and endings are added.
    private static let largestNameByteCount = 200

    /// - Parameter base: in place of `$XDG_CONFIG_HOME`; nil: what the environment says.
    init(applicationIdentifier: String, base: String? = nil) {
        name = Self.fileName(applicationIdentifier)
        path = "\(base ?? Self.systemBase)/\(name)"
    }

    /// One component of a path, whatever the identifier holds.
    private static func fileName(_ identifier: String) -> String {
        var bytes = identifier.utf8.map { $0 == UInt8(ascii: "/") || $0 < 0x20 || $0 == 0x7F ? UInt8(ascii: "-") : $0 }
        bytes = Array(bytes.prefix(largestNameByteCount))
        let name = String(decoding: bytes, as: UTF8.self)
        return ["", ".", ".."].contains(name) ? "unnamed" : name
    }

    /// A relative path in the variable is to be ignored, says the specification of XDG.
    private static var systemBase: String {
        if let base = environment("XDG_CONFIG_HOME"), base.hasPrefix("/") { return base }
        return "\(environment("HOME") ?? "")/.config"
    }

    private static func environment(_ name: String) -> String? {
        getenv(name).map { String(cString: $0) }
    }
}
