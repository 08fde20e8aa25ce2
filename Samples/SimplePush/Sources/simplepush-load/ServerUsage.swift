import Foundation
import Glibc

/// The resources of the server's process, from the kernel.
struct ServerUsage {
    let processorSeconds: Double
    let residentMiB: Double
    let peakMiB: Double

    /// nil if there is no such process.
    init?(process: Int32) {
        guard let status = try? String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8),
            let times = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8)
        else { return nil }
        func kibibytes(_ name: String) -> Double {
            let line = status.split(separator: "\n").first { $0.hasPrefix(name + ":") }
            return line.flatMap { Double($0.filter(\.isNumber)) } ?? 0
        }
        residentMiB = kibibytes("VmRSS") / 1_024
        peakMiB = kibibytes("VmHWM") / 1_024
        // The program's name is in parentheses and may contain spaces.
        let fields = times[(times.lastIndex(of: ")") ?? times.startIndex)...].split(separator: " ")
        guard fields.count > 13, let user = Double(fields[12]), let system = Double(fields[13]) else { return nil }
        processorSeconds = (user + system) / Double(sysconf(Int32(_SC_CLK_TCK)))
    }
}
