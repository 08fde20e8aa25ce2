import FoundationEssentials
import Glibc
import ServiceLifecycle

/// Reports the service's state to systemd, or to another service manager with its protocol: sd_notify(3).
///
///     NOTIFY_SOCKET ◀─ one datagram a state: "READY=1"
///
/// Without `NOTIFY_SOCKET` in the environment it sends nothing. If the manager has a watchdog, it sends `WATCHDOG=1`
/// twice per watchdog interval: the manager restarts a process whose threads are all stuck.
struct ServiceManager: Service {
    func run() async throws {
        if let interval = Self.watchdogInterval {
            try? await cancelWhenGracefulShutdown {
                while true {
                    Self.tell("WATCHDOG=1")
                    try await Task.sleep(for: interval / 2)
                }
            }
        } else {
            try? await gracefulShutdown()
        }
        Self.tell("STOPPING=1")
    }

    /// The `WatchdogSec=` of the unit; nil without it.
    private static var watchdogInterval: Duration? {
        variable("WATCHDOG_USEC").flatMap { Int64($0) }.flatMap { $0 > 0 ? .microseconds($0) : nil }
    }

    /// Reports the beginning of a reload. `READY=1` ends it.
    static func tellReloading() {
        tell("RELOADING=1\nMONOTONIC_USEC=\(Int64(ProcessInfo.processInfo.systemUptime * 1e6))")
    }

    /// Sends lines of `NAME=VALUE`. Failures are ignored.
    static func tell(_ lines: String) {
        guard let path = variable("NOTIFY_SOCKET") else { return }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        var name = Array(path.utf8)
        guard (1..<MemoryLayout.size(ofValue: address.sun_path)).contains(name.count) else { return }
        // An abstract name begins with NUL, which an environment cannot hold.
        if name[0] == UInt8(ascii: "@") { name[0] = 0 }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: name) }
        let length = socklen_t(MemoryLayout<sockaddr_un>.offset(of: \.sun_path)! + name.count)
        let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        let text = Array(lines.utf8)
        _ = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                sendto(descriptor, text, text.count, Int32(MSG_NOSIGNAL), $0, length)
            }
        }
    }

    private static func variable(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }
}
