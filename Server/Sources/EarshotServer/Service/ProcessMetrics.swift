import FoundationEssentials
import Glibc

/// The system's figures about this process, with the names that Prometheus' client libraries use.
enum ProcessMetrics {
    /// The figures that can be read.
    static var gauges: [Gauge] {
        guard let text = try? String(contentsOfFile: "/proc/self/stat", encoding: .utf8),
            let names = text.lastIndex(of: ")")
        else { return [] }
        // The name before it may have spaces; the fields after it count from 3, proc_pid_stat(5).
        let fields = text[names...].split(separator: " ").dropFirst().map { Double($0) ?? 0 }
        func field(_ number: Int) -> Double { fields.indices.contains(number - 3) ? fields[number - 3] : 0 }
        let ticks = Double(sysconf(Int32(_SC_CLK_TCK)))
        var gauges = [
            Gauge(
                "process_cpu_seconds_total", "Processor time of the process.", (field(14) + field(15)) / ticks,
                isCounter: true),
            Gauge(
                "process_resident_memory_bytes", "Memory that the process occupies.",
                field(24) * Double(sysconf(Int32(_SC_PAGESIZE)))),
            Gauge("process_threads", "Threads of the process.", field(20)),
            Gauge("process_open_fds", "Open files and connections.", Double(openFiles)),
        ]
        var limit = rlimit()
        if getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 {
            gauges.append(Gauge("process_max_fds", "Open files and connections at most.", Double(limit.rlim_cur)))
        }
        if let boot = bootSeconds {
            gauges.append(
                Gauge(
                    "process_start_time_seconds", "Start of the process, in seconds since 1970.",
                    boot + field(22) / ticks))
        }
        return gauges
    }

    private static var openFiles: Int {
        guard let folder = opendir("/proc/self/fd") else { return 0 }
        defer { closedir(folder) }
        var count = 0
        while readdir(folder) != nil { count += 1 }
        // Itself, `.` and `..`.
        return max(0, count - 3)
    }

    private static let bootSeconds: Double? = {
        guard let text = try? String(contentsOfFile: "/proc/stat", encoding: .utf8) else { return nil }
        return text.split(separator: "\n").first { $0.hasPrefix("btime ") }.flatMap { Double($0.dropFirst(6)) }
    }()
}
