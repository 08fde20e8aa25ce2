import Glibc

/// The machine that this process runs on, for reports.
enum HostSystem {
    /// The distribution's name, such as "Debian GNU/Linux 12 (bookworm)"; "unknown" where the system has no os-release.
    static var name: String { field("PRETTY_NAME", separator: "=", in: "/etc/os-release") ?? "unknown" }

    /// The kernel's name and release, such as "Linux 6.1.0-18-amd64".
    static var kernel: String {
        let names = kernelNames()
        return "\(names.system) \(names.release)"
    }

    /// The instruction set, such as "x86_64".
    static var machine: String { kernelNames().machine }

    /// The processor's model; the instruction set if the kernel does not name a model.
    static var processor: String {
        field("model name", separator: ":", in: "/proc/cpuinfo") ?? field("Model", separator: ":", in: "/proc/cpuinfo")
            ?? machine
    }

    /// Processors online, 1 or more.
    static var processorCount: Int { max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN))) }

    private static func kernelNames() -> (system: String, release: String, machine: String) {
        var names = utsname()
        uname(&names)
        return (text(names.sysname), text(names.release), text(names.machine))
    }

    /// The text in an array of C, which Swift imports as a tuple.
    private static func text<Characters>(_ characters: Characters) -> String {
        withUnsafeBytes(of: characters) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    }

    /// The value of the first line that begins with a key, without quotation marks.
    private static func field(_ key: String, separator: Character, in path: String) -> String? {
        guard let file = fopen(path, "re") else { return nil }
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: 65_536)
        let count = fread(&bytes, 1, bytes.count, file)
        for line in String(decoding: bytes[..<count], as: UTF8.self).split(separator: "\n") {
            let parts = line.split(separator: separator, maxSplits: 1)
            guard parts.count == 2, trimmed(parts[0]) == key else { continue }
            return trimmed(parts[1])
        }
        return nil
    }

    private static func trimmed(_ text: Substring) -> String {
        let isOuter = { (character: Character) in character.isWhitespace || character == "\"" }
        guard let first = text.firstIndex(where: { !isOuter($0) }), let last = text.lastIndex(where: { !isOuter($0) })
        else { return "" }
        return String(text[first...last])
    }
}
