import Glibc

/// Information about a network interface from the kernel's device folders.
enum NetworkCard {
    /// Whether an interface is a wired network card. Those of containers and of virtual networks have no device.
    /// - Parameter folder: the folder of all interfaces.
    static func isWired(_ name: String, in folder: String = "/sys/class/net") -> Bool {
        guard !name.contains("/"), name != ".", name != ".." else { return false }
        let own = "\(folder)/\(name)"
        guard exists("\(own)/device"), !exists("\(own)/wireless"), !exists("\(own)/phy80211") else { return false }
        // A modem can look like a card, too.
        return !text("\(own)/uevent").split(separator: "\n").contains { ["DEVTYPE=wwan", "DEVTYPE=wlan"].contains($0) }
    }

    private static func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }

    /// The first 4 KiB of a file; empty if it cannot be read.
    private static func text(_ path: String) -> String {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return "" }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: 4_096)
        let count = read(descriptor, &bytes, bytes.count)
        return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
    }
}
